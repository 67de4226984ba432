// SPDX-License-Identifier: Apache-2.0
#include "models/shared_memory/banks.h"

#include <cstring>

#include "models/protocol/payload/payload_pool.h"
#include "testbenches/support/catch.h"

using namespace spica;
using shared_memory::Banks;
using shared_memory::kRead;
using shared_memory::kWrite;
using shared_memory::Request;
using shared_memory::SharedMemoryParams;
using shared_memory::SharedMemoryStats;

namespace {

/// Four banks of eight word banks; word n is in word bank n modulo 32.
struct BanksBench {
  explicit BanksBench(const SharedMemoryParams& p = {}) : params(p), stats(params), banks(params, stats) {}

  /// What lanes 0, 1 ... want: their words by number.
  Request lanes(protocol::WarpAccess& access, std::initializer_list<unsigned> words,
                shared_memory::Direction direction) {
    Request request;
    request.access = &access;
    request.direction = direction;
    access.mask = 0;
    for (const unsigned word : words) {
      const auto lane = static_cast<unsigned>(__builtin_popcount(access.mask));
      access.mask |= 1u << lane;
      access.address[lane] = static_cast<std::uint32_t>(params.base) + 4 * word;
      access.data[lane] = 100 + word;
    }
    request.aligned = access.mask;
    request.banks = banks.of(access, access.mask);
    return request;
  }
  std::uint32_t word(unsigned number) const {
    std::uint32_t value;
    std::memcpy(&value, banks.cells().data() + 4 * number, sizeof value);
    return value;
  }

  const SharedMemoryParams params;
  SharedMemoryStats stats;
  Banks banks;
  protocol::WarpAccess first, second;
};

SharedMemoryParams sharing_words() {
  SharedMemoryParams params;
  params.broadcast = true;
  return params;
}

constexpr auto kAll = ~shared_memory::WordBanks{0};

}  // namespace

TEST_CASE("of two lanes on one word bank the lower one is served, the other waits for the next cycle") {
  BanksBench f;
  Request store = f.lanes(f.first, {1, 33, 2}, kWrite);
  f.banks.begin();
  f.banks.serve_aligned(store, kAll);
  CHECK(store.served == 0b101);
  CHECK(store.aligned == 0b010);
  CHECK(store.banks == shared_memory::WordBanks{1} << 1);
  CHECK(f.word(1) == 101);
  CHECK(f.word(33) == 0);
  CHECK(f.stats.core.words[kWrite]->value() == 2);
  f.banks.begin();
  f.banks.serve_aligned(store, kAll);
  CHECK(store.done());
  CHECK(f.word(33) == 133);
}

TEST_CASE("a word bank that is taken serves nobody else in its direction, and the other direction goes on") {
  BanksBench f;
  Request one = f.lanes(f.first, {5}, kWrite), other = f.lanes(f.second, {37}, kWrite);
  f.banks.begin();
  f.banks.serve_aligned(one, kAll);
  f.banks.serve_aligned(other, kAll);
  CHECK(one.done());
  CHECK(!other.done());
  Request load = f.lanes(f.second, {5}, kRead);
  f.banks.serve_aligned(load, kAll);
  CHECK(load.done());
  CHECK(f.second.data[0] == 105);
}

TEST_CASE("with broadcast lanes on one word share it, without it they do not") {
  for (const bool shares : {false, true}) {
    BanksBench f(shares ? sharing_words() : SharedMemoryParams{});
    Request load = f.lanes(f.first, {7, 7}, kRead);
    f.banks.begin();
    f.banks.serve_aligned(load, kAll);
    CHECK(load.done() == shares);
    CHECK(f.stats.core.words[kRead]->value() == 1);
  }
}

TEST_CASE("banks that are blocked serve no load, but stores") {
  BanksBench f;
  Request load = f.lanes(f.first, {3}, kRead), store = f.lanes(f.second, {3}, kWrite);
  f.banks.block(shared_memory::WordBanks{1} << 3);
  f.banks.begin();
  f.banks.serve_aligned(load, kAll);
  f.banks.serve_aligned(store, kAll);
  CHECK(!load.done());
  CHECK(store.done());
  f.banks.block(0);
  f.banks.begin();
  f.banks.serve_aligned(load, kAll);
  CHECK(load.done());
}

TEST_CASE("a beat of a wide port is served whole or not at all") {
  BanksBench f;
  protocol::LinePool pool;
  protocol::LinePayload& line = pool.take();
  line.setup(tlm::TLM_WRITE_COMMAND, 0, 32, {});
  line.data.fill(0x5A);
  Request wide;
  wide.payload = &line;
  wide.direction = kWrite;
  wide.bytes = 32;
  wide.words = 8;
  wide.banks = 0xFF;
  Request lane = f.lanes(f.first, {4}, kWrite);
  base::Counter& words = *f.stats.core.words[kRead];
  f.banks.begin();
  f.banks.serve_aligned(lane, kAll);
  f.banks.serve_wide(wide, words);
  CHECK(wide.banks == 0xFF);
  CHECK(words.value() == 0);
  f.banks.begin();
  f.banks.serve_wide(wide, words);
  CHECK(wide.banks == 0);
  CHECK(words.value() == 8);
  CHECK(f.word(7) == 0x5A5A5A5A);
  pool.drop(line);
}

TEST_CASE("one lane is served when its bank is free, and takes it") {
  BanksBench f;
  const Request request = f.lanes(f.first, {9, 41}, kWrite);
  f.banks.begin();
  CHECK(f.banks.serve_lane(request, 0b01) == 0b01);
  CHECK(f.banks.serve_lane(request, 0b10) == 0);
  CHECK(f.word(9) == 109);
}
