// SPDX-License-Identifier: Apache-2.0
// Who is served in a cycle, lanes behind the head of a port, and how they are answered.
#include "models/shared_memory/arbiter.h"

#include <array>
#include <initializer_list>
#include <vector>

#include "models/shared_memory/request_reader.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/shared_memory/uncalled_socket.h"

using namespace spica;
using namespace spica::shared_memory;

namespace {

struct Wires final : protocol::LaneWires {
  void on_lanes(tlm::tlm_generic_payload&, std::uint32_t lanes) override { answered_lanes.push_back(lanes); }
  std::vector<std::uint32_t> answered_lanes;
};

constexpr unsigned kWide = 0, kCore = 1, kOtherCore = 2;
constexpr unsigned kLatency = 3;

/// A wide port and two cores before four banks of eight word banks; word n is in word bank n modulo 32. All that is
/// queued is before the banks.
struct ArbiterBench {
  explicit ArbiterBench(const SharedMemoryParams& p = {}) : params(p) {
    ports.all.reserve(3);
    for (unsigned source = 0; source < 3; ++source) {
      BasicPort<WordBanks>& port = ports.all.emplace_back(sockets[source], 4, 8);
      port.words[kRead] = port.words[kWrite] = &words;
      port.latency[kRead] = port.latency[kWrite] = kLatency;
    }
  }
  /// A request of the core whose lanes `first`, `first` + 1 ... want these words.
  protocol::WarpPayload& lanes(unsigned core, std::initializer_list<unsigned> wanted,
                               tlm::tlm_command command, unsigned first = 0, Wires* of = nullptr) {
    protocol::WarpPayload& payload = warps.take();
    payload.access.mask = 0;
    payload.access.bytes = 4;
    payload.access.wires = of;
    unsigned lane = first;
    for (const unsigned word : wanted) {
      payload.access.mask |= 1u << lane;
      payload.access.address[lane++] = static_cast<std::uint32_t>(params.base) + 4 * word;
    }
    payload.set_command(command);
    enqueue(core, payload);
    return payload;
  }
  /// The same, of a core whose lanes are independent.
  protocol::WarpPayload& independent(std::initializer_list<unsigned> wanted, unsigned first = 0) {
    protocol::WarpPayload& payload = lanes(kCore, wanted, tlm::TLM_READ_COMMAND, first, &wires);
    ++wires.accesses;
    auto& queue = ports[kCore].queue;
    if (queue.size() > 1) independent_lanes.accept(kCore, queue[queue.size() - 1]);
    return payload;
  }
  void line(std::uint32_t offset, tlm::tlm_command command) {
    protocol::LinePayload& payload = lines.take();
    payload.setup(command, offset, 32, {});
    enqueue(kWide, payload);
  }
  void enqueue(unsigned source, protocol::Payload& payload) {
    Request& request = ports[source].queue.append();
    request = Request{};
    reader.read(ports.is_core(source), payload, request);
    if (ports[source].queue.size() == 1) ports.come_up(source);
  }
  /// One cycle; heads that are done leave, and what is behind them is before the banks at once. Returns which were
  /// done.
  Sources cycle(base::Cycle now) {
    activity = arbiter.serve(0, now);
    for (Sources rest = arbiter.done(); rest != 0;) {
      const unsigned source = pop_lowest(rest);
      ports.leave(source, now);
      independent_lanes.leave(source);
      if ((ports.coming & bit(source)) != 0) ports.come_up(source);
    }
    return arbiter.done();
  }

  const SharedMemoryParams params;
  SharedMemoryStats stats{params};
  base::StatGroup group;
  base::Counter& words = group.counter("words", base::Unit::kWords, "moved through wide ports");
  std::array<UncalledSocket, 3> sockets;
  Wires wires;
  const BankMap map{params};
  const BasicRequestReader<WordBanks> reader{params, map, stats};
  BasicPorts<WordBanks> ports{1};
  Banks banks{params, stats};
  BasicAnswers<WordBanks> answers{ports, banks, 2};
  BasicIndependentLanes<WordBanks> independent_lanes{ports, banks, answers, 2};
  BasicArbiter<WordBanks> arbiter{ports, banks, independent_lanes, map, params, 3, stats};
  protocol::WarpPool warps;
  protocol::LinePool lines;
  unsigned activity = 0;
};

constexpr auto kLoad = tlm::TLM_READ_COMMAND;
constexpr auto kStore = tlm::TLM_WRITE_COMMAND;

SharedMemoryParams round_robin() {
  SharedMemoryParams params;
  params.arbitration = Arbitration::kRoundRobinUniform;
  return params;
}

}  // namespace

TEST_CASE("a wide port comes before cores, and a core takes the word banks that it leaves") {
  ArbiterBench b;
  b.line(0, kLoad);
  b.lanes(kCore, {0, 33 + 8 * 256}, kLoad);
  CHECK(b.cycle(10) == bit(kWide));
  CHECK(b.activity == SharedMemoryStats::kBankConflict);
  CHECK(b.cycle(11) == bit(kCore));
  CHECK(b.activity == SharedMemoryStats::kServing);
}

TEST_CASE("loads and stores do not meet at a word bank") {
  ArbiterBench b;
  b.line(0, kStore);
  b.lanes(kCore, {0, 1, 2}, kLoad);
  CHECK(b.cycle(10) == (bit(kWide) | bit(kCore)));
}

TEST_CASE("by index the lower core wins each time, in turns each core once") {
  const bool turns = GENERATE(false, true);
  ArbiterBench b(turns ? round_robin() : SharedMemoryParams{});
  for (int i = 0; i < 2; ++i) b.lanes(kCore, {0, 1, 2}, kLoad);
  b.lanes(kOtherCore, {0, 1, 2}, kLoad);
  CHECK(b.cycle(10) == bit(kCore));
  CHECK(b.cycle(11) == bit(turns ? kOtherCore : kCore));
  CHECK(b.cycle(12) == bit(turns ? kCore : kOtherCore));
}

TEST_CASE("unaligned lanes go one in a cycle, and meanwhile the banks serve nothing else of theirs") {
  ArbiterBench b;
  b.lanes(kCore, {1, 2, 3}, kLoad);
  CHECK(b.cycle(10) == 0);
  CHECK(b.activity == SharedMemoryStats::kSerialising);
  CHECK(b.cycle(11) == 0);
  CHECK(b.cycle(12) == bit(kCore));
  CHECK(b.stats.unaligned_requests.value() == 3);
}

TEST_CASE("loads and stores share an unaligned path that joins directions") {
  SharedMemoryParams params;
  params.unaligned_joins_directions = GENERATE(false, true);
  ArbiterBench b(params);
  b.lanes(kCore, {1}, kLoad);
  b.lanes(kOtherCore, {1}, kStore);
  const Sources first = b.cycle(10);
  if (!params.unaligned_joins_directions) {
    CHECK(first == (bit(kCore) | bit(kOtherCore)));
  } else {
    CHECK(first == bit(kCore));
    CHECK(b.cycle(11) == bit(kOtherCore));
  }
}

TEST_CASE("banks that are blocked serve no load, and stores as always") {
  ArbiterBench b;
  b.lanes(kCore, {0, 1}, kLoad);
  b.lanes(kOtherCore, {0, 1}, kStore);
  b.banks.block(WordBanks{1});
  CHECK(b.cycle(10) == bit(kOtherCore));
  b.banks.block(0);
  CHECK(b.cycle(11) == bit(kCore));
}

TEST_CASE("a lane that is served has its turn at the next request of its port") {
  ArbiterBench b;
  b.independent({1, 2});  // on the unaligned path, one per cycle
  b.independent({8, 9});  // on words of their own
  CHECK(b.cycle(10) == 0);  // lane 0 of the first
  CHECK(b.independent_lanes.open() == 0);
  CHECK(b.cycle(11) == bit(kCore));  // lane 1 of the first, lane 0 of the second
  CHECK(b.cycle(12) == bit(kCore));
  CHECK(b.ports.queued() == 0);
}

TEST_CASE("a request of other lanes passes the head of its port, and can be done first") {
  ArbiterBench b;
  b.independent({1, 2, 3});
  b.independent({11}, 3);
  CHECK(b.cycle(10) == 0);
  CHECK(b.ports[kCore].queue.size() == 1);  // the second one is gone
  CHECK(b.wires.accesses == 1);
  CHECK(b.answers.planned() == 2);  // lane 0 of the first, lane 3 of the second
  CHECK(b.cycle(11) == 0);
  CHECK(b.cycle(12) == bit(kCore));
}

TEST_CASE("lanes are answered when the banks have them, those of one access in a cycle") {
  ArbiterBench b;
  protocol::WarpPayload& first = b.independent({1, 2, 3});
  b.cycle(10);
  CHECK(b.answers.next(10) == 10 + kLatency);
  CHECK_FALSE(b.answers.has_lanes(9 + kLatency));
  CHECK(b.answers.has_lanes(10 + kLatency));
  b.answers.send(10 + kLatency);
  CHECK(b.wires.answered_lanes == std::vector<std::uint32_t>{1});
  CHECK(first.access.unanswered == 0b110);
  CHECK(b.answers.empty());
}

TEST_CASE("an answer that the core does not take blocks its word banks") {
  ArbiterBench b;
  b.independent({5, 6});
  b.cycle(10);
  b.wires.answered = 10 + kLatency;  // another memory was first
  b.answers.send(10 + kLatency);
  CHECK(b.wires.answered_lanes.empty());
  CHECK(b.answers.next(10 + kLatency) == 11 + kLatency);
  b.banks.begin();
  CHECK(b.banks.taken(kRead) == WordBanks{1} << 5);
  b.answers.send(11 + kLatency);
  CHECK(b.wires.answered_lanes.size() == 1);
  b.banks.begin();
  CHECK(b.banks.taken(kRead) == 0);
}
