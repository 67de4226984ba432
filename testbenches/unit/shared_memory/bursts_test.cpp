// SPDX-License-Identifier: Apache-2.0
#include "models/shared_memory/bursts.h"

#include <array>
#include <cstring>
#include <deque>
#include <vector>

#include "models/protocol/payload/payload_pool.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/shared_memory/uncalled_socket.h"

using namespace spica;
using namespace spica::shared_memory;

namespace {

/// Wide ports 0 to 2, one core. Beats of 32 bytes.
struct BurstsBench {
  BurstsBench() {
    ports.all.reserve(4);
    for (unsigned source = 0; source < 4; ++source) {
      BasicPort<WordBanks>& port = ports.all.emplace_back(sockets[source], 2, 8);
      port.words[kRead] = port.words[kWrite] = &words;
    }
  }
  /// A store of `beats` beats at a byte offset comes to a wide port; it can be served from cycle `ready` on.
  Request& store(unsigned source, std::uint32_t offset, std::uint32_t beats, base::Cycle ready) {
    protocol::LinePayload& payload = pool.take();
    payload.setup(tlm::TLM_WRITE_COMMAND, offset, 32 * beats, {});
    data.emplace_back(32 * beats, static_cast<unsigned char>(source + 1));
    payload.set_data_ptr(data.back().data());
    Request& request = ports[source].queue.append();
    request = {};
    request.payload = &payload;
    request.direction = kWrite;
    request.offset = offset;
    request.bytes = 32;
    request.beats = beats;
    request.words = 8;
    request.banks = map.span(offset, 32);
    request.ready = ready;
    ports.coming |= bit(source);
    return request;
  }
  /// Bytes that are stored from `offset` on.
  unsigned stored(std::uint32_t offset, unsigned char value) {
    unsigned count = 0;
    while (banks.cells().data()[offset + count] == value) ++count;
    return count;
  }

  const SharedMemoryParams params;
  SharedMemoryStats stats{params};
  base::StatGroup group;
  base::Counter& words = group.counter("words", base::Unit::kWords, "moved through wide ports");
  std::array<UncalledSocket, 4> sockets;
  BasicPorts<WordBanks> ports{3};
  const BankMap map{params};
  Banks banks{params, stats};
  std::vector<base::RoundRobin> chosen[2];
  BasicBursts<WordBanks> bursts{ports, banks, map, params, stats, chosen};
  protocol::LinePool pool;
  std::deque<std::vector<unsigned char>> data;
  /// Where the second bank begins.
  const std::uint32_t next_bank = [this] {
    std::uint32_t offset = 0;
    while (map.bank(offset) == map.bank(0)) offset += 32;
    return offset;
  }();
};

}  // namespace

TEST_CASE("bursts in different banks stream, and their beats are served when somebody looks") {
  BurstsBench b;
  b.store(0, 0, 8, 10);
  b.store(1, b.next_bank, 4, 10);
  CHECK(b.bursts.plan(9) == 13);  // the last beat of the shorter one is served like any request
  CHECK(b.bursts.sources() == 0b11);
  b.bursts.catch_up(11);
  CHECK(b.stored(0, 1) == 64);
  CHECK(b.stored(b.next_bank, 2) == 64);
  CHECK(b.words.value() == 2 * 2 * 8);
  CHECK(b.ports.head(0).beats == 6);
  b.bursts.catch_up(11);  // nothing more is due
  CHECK(b.ports.head(0).beats == 6);
  CHECK_FALSE(b.bursts.disturbed(12));
  CHECK(b.bursts.disturbed(13));
}

TEST_CASE("bursts that meet in a bank do not stream") {
  BurstsBench b;
  b.store(0, 0, 8, 10);
  b.store(1, 32, 8, 10);
  CHECK(b.bursts.plan(9) == 10);
  CHECK_FALSE(b.bursts.any());
}

TEST_CASE("a stream is disturbed by a core and by what wants its banks, not by a beat elsewhere") {
  BurstsBench b;
  b.store(0, 0, 8, 10);
  b.bursts.plan(9);
  REQUIRE(b.bursts.any());
  b.store(1, b.next_bank, 1, 11);
  CHECK_FALSE(b.bursts.disturbed(11));
  const unsigned other = GENERATE(2u, 3u);  // a wide port, the core
  b.store(other, other == 2 ? 64 : 2 * b.next_bank, 1, 12);
  CHECK_FALSE(b.bursts.disturbed(11));  // on its way
  CHECK(b.bursts.disturbed(12));
}

TEST_CASE("a burst joins when nothing else is at the banks") {
  BurstsBench b;
  const Request& first = b.store(0, 0, 8, 10);
  b.ports.coming = 0;  // it has just been accepted
  CHECK(b.bursts.join(0, first, 9));
  b.ports.coming = bit(0);
  CHECK(b.bursts.end() == 17);
  const Request& second = b.store(1, b.next_bank, 4, 12);
  b.ports.coming = bit(0);
  CHECK_FALSE(b.bursts.join(1, second, 9));  // it is not there in the next cycle
  CHECK(b.bursts.join(1, second, 11));
  CHECK(b.ports.head(0).beats == 6);  // the others have caught up
  CHECK(b.bursts.end() == 15);
}

TEST_CASE("the head of a port comes up, leaves, and the next one is coming") {
  BurstsBench b;
  b.store(0, 0, 1, 10);
  b.store(0, 32, 1, 10);
  CHECK(b.ports.queued() == 1);
  CHECK_FALSE(b.ports[0].has_room());
  b.ports.come_up(0);
  CHECK(b.ports.coming == 0);
  CHECK(b.ports.before_banks[kWrite] == 1);
  b.ports.leave(0, 10);
  CHECK(b.ports.at_banks() == 0);
  CHECK(b.ports.coming == 1);
  CHECK(b.ports.room_made == 1);
  CHECK(b.ports.head(0).offset == 32);
  CHECK(b.ports[0].free == 11);
  CHECK(b.ports.is_core(3));
  CHECK(b.ports.wide == 0b111);
}
