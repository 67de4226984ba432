// SPDX-License-Identifier: Apache-2.0
// Cores whose lanes go on one by one.

#include "testbenches/block/shared_memory/cluster.h"

#include "testbenches/support/catch.h"

using namespace spica::testbench;

namespace {

/// The wires of a core; notes which lanes are answered before the response, and when.
struct Wires final : spica::protocol::LaneWires {
  explicit Wires(Bench& b) : bench(b) {}
  void on_lanes(tlm::tlm_generic_payload& payload, std::uint32_t lanes) override {
    parts.push_back({&payload, bench.clock.now(), lanes});
  }
  struct Part {
    const Payload* payload;
    Cycle cycle;
    std::uint32_t lanes;
  };
  Bench& bench;
  std::vector<Part> parts;
};

struct Lanes {
  Bench bench;
  Cluster c{bench};
  Wires wires{bench};

  /// An access of core 0 with lane l on word `word(l)` of a line.
  template <class Word>
  WarpPayload& access(tlm::tlm_command command, Cycle t, std::uint32_t first, Word&& word) {
    std::vector<std::uint32_t> addresses;
    for (unsigned lane = 0; lane < 8; ++lane)
      addresses.push_back(static_cast<std::uint32_t>(c.params.base) + first + 4 * word(lane));
    WarpPayload& payload = c.core[0]->warp(command, 0xFF, addresses);
    payload.access.wires = &wires;
    c.core[0]->at(t, payload);
    return payload;
  }
  WarpPayload& together(tlm::tlm_command command, Cycle t, std::uint32_t first) {
    return access(command, t, first, [](unsigned lane) { return lane; });
  }
  /// All on the unaligned path.
  WarpPayload& one_by_one(tlm::tlm_command command, Cycle t, std::uint32_t first) {
    return access(command, t, first, [](unsigned lane) { return (lane + 1) % 8; });
  }
};

constexpr auto kLoad = tlm::TLM_READ_COMMAND;
constexpr auto kStore = tlm::TLM_WRITE_COMMAND;

}  // namespace

TEST_CASE("lanes of a load that are served in eight cycles are answered in eight") {
  Lanes l;
  for (std::uint32_t i = 0; i < 8; ++i) l.c.set_word(0x40 + 4 * i, 100 + i);
  WarpPayload& load = l.one_by_one(kLoad, 10, 0x40);
  l.bench.run();
  REQUIRE(l.wires.parts.size() == 7);
  for (unsigned lane = 0; lane < 7; ++lane) {
    CHECK(l.wires.parts[lane].cycle == l.c.core_read(10, lane));
    CHECK(l.wires.parts[lane].lanes == 1u << lane);
  }
  CHECK(l.c.core[0]->done(load) == l.c.core_read(10, 7));
  for (std::uint32_t i = 0; i < 8; ++i) CHECK(load.access.data[i] == 100 + (i + 1) % 8);
  CHECK(l.c.dut.idle());
}

TEST_CASE("lanes that are served together are answered together") {
  Lanes l;
  WarpPayload& load = l.together(kLoad, 10, 0x40);
  l.bench.run();
  CHECK(l.wires.parts.empty());
  CHECK(l.c.core[0]->done(load) == l.c.core_read(10));
}

TEST_CASE("a lane has its turn at the next access while others wait at the one before it") {
  Lanes l;
  WarpPayload& store = l.one_by_one(kStore, 10, 0x40);
  WarpPayload& load = l.together(kLoad, 11, 0x1040);
  l.bench.run_for(14);  // lanes 0 to 2 of the store have been served in cycles 11 to 13
  CHECK(l.wires.accesses == 2);
  CHECK(l.wires.waiting() == 0xFC);  // lane 1 of the load as well, behind lane 0
  l.bench.run();
  CHECK(l.wires.accesses == 0);
  CHECK(l.wires.waiting() == 0);
  CHECK(l.c.core[0]->done(store) == l.c.core_write(10, 7));
  REQUIRE(l.wires.parts.size() == 7);
  for (unsigned lane = 0; lane < 7; ++lane) {
    CHECK(l.wires.parts[lane].cycle == l.c.core_read(11, lane));
    CHECK(l.wires.parts[lane].lanes == 1u << lane);
  }
  CHECK(l.c.core[0]->done(load) == l.c.core_read(11, 7));
}

TEST_CASE("lanes are at most three accesses apart") {
  Lanes l;
  WarpPayload& first = l.one_by_one(kStore, 10, 0x40);
  std::vector<const WarpPayload*> others;
  for (unsigned i = 0; i < 3; ++i) others.push_back(&l.together(kLoad, 11 + i, 0x1040 + 0x20 * i));
  l.bench.run();
  CHECK(l.c.core[0]->accepted(*others[0]) == 11);
  CHECK(l.c.core[0]->accepted(*others[1]) == 12);
  // The last lane of the first access is served 7 cycles behind the first lane.
  const Cycle last = l.c.core_write(10, 7) - l.c.params.write_latency;
  CHECK(l.c.core[0]->accepted(*others[2]) == last);
  CHECK(l.c.core[0]->accepted(first) == 10);
}

TEST_CASE("a core takes one access's answers in a cycle, and what it does not take blocks its word bank") {
  Lanes l;
  // Lane 7 is behind lane 6 at its word, so a cycle late: lanes 0 to 6 of the second load are served with it.
  WarpPayload& one = l.access(kLoad, 10, 0x40, [](unsigned lane) { return lane == 7 ? 6 : lane; });
  WarpPayload& two = l.together(kLoad, 11, 0x60);
  WarpPayload& other_core = l.c.load(1, 13, 0x80, 4);
  l.bench.run();
  // The lowest lane that has an answer says whose are taken: 13 the first load's, 14 the second's, then lane 7.
  REQUIRE(l.wires.parts.size() == 2);
  CHECK(l.wires.parts[0].payload == &one);
  CHECK(l.wires.parts[0].lanes == 0x7F);
  CHECK(l.wires.parts[0].cycle == l.c.core_read(10));
  CHECK(l.wires.parts[1].payload == &two);
  CHECK(l.wires.parts[1].lanes == 0x7F);
  CHECK(l.wires.parts[1].cycle == l.c.core_read(11));
  CHECK(l.c.core[0]->done(one) == l.c.core_read(11, 1));
  CHECK(l.c.core[0]->done(two) == l.c.core_read(11, 2));
  // In cycle 14 the answer of word 6 waits.
  CHECK(l.c.core[1]->done(other_core) == l.c.core_read(13, 1));
}

TEST_CASE("an answer of another memory in the same cycle holds that of shared memory") {
  Lanes l;
  WarpPayload& load = l.together(kLoad, 10, 0x40);
  l.bench.run_for(l.c.core_read(10));
  l.wires.answered = l.c.core_read(10);
  l.bench.run();
  CHECK(l.c.core[0]->done(load) == l.c.core_read(10, 1));
}

TEST_CASE("accesses of different lanes pass each other") {
  Lanes l;
  WarpPayload& slow = l.one_by_one(kLoad, 10, 0x40);
  slow.access.mask = 0xF0;
  WarpPayload& fast = l.together(kLoad, 11, 0x1040);
  fast.access.mask = 0x0F;
  l.bench.run();
  CHECK(l.c.core[0]->done(fast) == l.c.core_read(11, 0));
  CHECK(l.c.core[0]->done(slow) == l.c.core_read(10, 3));
}
