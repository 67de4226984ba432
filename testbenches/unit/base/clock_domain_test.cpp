// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "models/base/invariant.h"
#include "testbenches/support/bench.h"
#include "testbenches/support/catch.h"

using namespace spica;
using base::Cycle;

namespace {

/// Notes the cycles in which it is ticked, and wakes itself and others as told.
class Recorder final : public base::Component {
 public:
  using Component::Component;
  using Component::wake_at;
  using Component::wake_now;

  std::vector<Cycle> ticks;
  Cycle period = 0;
  std::size_t count = 0;
  Recorder* upstream = nullptr;

  void tick() override {
    ticks.push_back(now());
    if (upstream != nullptr) upstream->wake_now();
    if (ticks.size() < count) wake_at(now() + period);
  }
  void reset() override {}
  bool idle() const override { return true; }
  base::StatGroup& stats() override { return stats_; }
  void dump_state(std::ostream&) const override {}

 private:
  base::StatGroup stats_;
};

/// The clock of the bench, 400 MHz, leads one of 100 MHz.
struct Led {
  explicit Led(testbench::Bench& b) : bench(b) {
    bench.clock.lead(slow);
    bench.add(fast_block);
    slow.add(slow_block);
  }
  testbench::Bench& bench;
  base::ClockDomain slow{"slow", sc_core::sc_time(10, sc_core::SC_NS)};
  Recorder fast_block{"fast_block", bench.clock}, slow_block{"slow_block", slow};
};

/// Asks a domain, not always its own, to pause.
struct Pauser final : base::Component {
  Pauser(base::ClockDomain& in, base::ClockDomain& other) : Component("pauser", in), paused(other) {
    in.add(*this);
  }
  using Component::wake_at;
  void tick() override { paused.pause(); }
  void reset() override {}
  bool idle() const override { return true; }
  base::StatGroup& stats() override { return stats_; }
  void dump_state(std::ostream&) const override {}
  base::ClockDomain& paused;
  base::StatGroup stats_;
};

void check_pause(bool by_follower) {
  testbench::Bench bench;
  Led led(bench);
  Pauser pauser(by_follower ? led.slow : bench.clock, by_follower ? bench.clock : led.slow);
  led.fast_block.period = led.slow_block.period = 1;
  led.fast_block.count = led.slow_block.count = 1000;
  led.fast_block.wake_at(0);
  led.slow_block.wake_at(0);
  pauser.wake_at(by_follower ? 10 : 40);
  bench.clock.run_until(1000);
  CHECK(led.fast_block.ticks.size() == 41);
  CHECK(led.slow_block.ticks.size() == 11);
  CHECK(bench.clock.now() == 41);
  bench.clock.run_until(1000);
  CHECK(led.fast_block.ticks.size() == 1000);
  CHECK(led.slow_block.ticks.size() == 250);
}

/// Throws in every cycle but the first.
struct Broken final : base::Component {
  using Component::Component;
  using Component::wake_at;
  void tick() override { SPICA_INVARIANT(now() == 0); }
  void reset() override {}
  bool idle() const override { return true; }
  base::StatGroup& stats() override { return stats_; }
  void dump_state(std::ostream&) const override {}
  base::StatGroup stats_;
};

}  // namespace

TEST_CASE("a block that is woken before it is added ticks then, and one that is never added does not") {
  testbench::Bench bench;
  Recorder block("block", bench.clock), nowhere("nowhere", bench.clock);
  block.wake_at(9);
  block.wake_at(3);
  nowhere.wake_at(5);
  CHECK(block.domain() == nullptr);
  bench.add(block);
  CHECK(block.domain() == &bench.clock);
  bench.run();
  CHECK(block.ticks == std::vector<Cycle>{3});
  CHECK(nowhere.ticks.empty());
  CHECK(bench.clock.asleep());
}

TEST_CASE("a block is ticked exactly in the cycles it asked for") {
  testbench::Bench bench;
  Recorder block("block", bench.clock);
  bench.add(block);
  block.period = 1000;
  block.count = 3;
  block.wake_at(7);
  bench.run();
  CHECK(block.ticks == std::vector<Cycle>{7, 1007, 2007});
  CHECK(bench.clock.asleep());
}

TEST_CASE("a block later in the order is ticked in the cycle in which it is woken") {
  testbench::Bench bench;
  Recorder memory("memory", bench.clock), core("core", bench.clock);
  bench.add(memory);
  bench.add(core);
  memory.upstream = &core;
  memory.wake_at(5);
  bench.run();
  CHECK(core.ticks == std::vector<Cycle>{5});
}

TEST_CASE("a long run crosses many activations without losing a cycle") {
  testbench::Bench bench;
  Recorder block("block", bench.clock);
  bench.add(block);
  block.period = 1;
  block.count = 1000;
  block.wake_at(0);
  bench.run();
  REQUIRE(block.ticks.size() == 1000);
  CHECK(block.ticks.front() == 0);
  CHECK(block.ticks.back() == 999);
}

TEST_CASE("running in slices gives the same cycles as running at once") {
  testbench::Bench bench;
  Recorder block("block", bench.clock);
  bench.add(block);
  block.period = 3;
  block.count = 200;
  block.wake_at(1);
  for (int slice = 0; slice < 50; ++slice) bench.run_for(20);
  REQUIRE(block.ticks.size() == 200);
  CHECK(block.ticks.back() == 1 + 3 * 199);
}

TEST_CASE("who looks on between two slices sees the cycle the slice ended at, whoever is due next") {
  testbench::Bench bench;
  Recorder block("block", bench.clock);
  bench.add(block);
  block.period = 20;
  block.count = 2;
  block.wake_at(5);
  for (const Cycle end : {3, 10, 12, 25}) {
    bench.clock.run_until(end);
    CHECK(bench.clock.now() == end);
  }
  CHECK(block.ticks == std::vector<Cycle>{5});
  bench.clock.run_until(30);
  CHECK(block.ticks == std::vector<Cycle>{5, 25});
}

TEST_CASE("a block woken after its turn is ticked in the next cycle, also across activations") {
  testbench::Bench bench;
  Recorder early("early", bench.clock), late("late", bench.clock);
  bench.add(early);
  bench.add(late);
  late.upstream = &early;  // early's turn is over when late wakes it
  late.period = 63;        // some of the cycles are the last ones of an activation
  late.count = 5;
  late.wake_at(1);
  bench.run();
  std::vector<Cycle> next;
  for (const Cycle cycle : late.ticks) next.push_back(cycle + 1);
  CHECK(late.ticks.size() == 5);
  CHECK(early.ticks == next);
}

TEST_CASE("more than 64 blocks keep their order and their cycles") {
  testbench::Bench bench;
  std::vector<std::unique_ptr<Recorder>> blocks;
  for (unsigned i = 0; i < 150; ++i) {
    blocks.push_back(std::make_unique<Recorder>(("block" + std::to_string(i)).c_str(), bench.clock));
    bench.add(*blocks.back());
    blocks[i]->period = 1 + i;
    blocks[i]->count = 10;
  }
  blocks[3]->upstream = blocks[149].get();  // wakes it in the same cycle, two words further on
  for (unsigned i = 0; i < 149; ++i) blocks[i]->wake_at(i);
  bench.run();
  for (unsigned i = 0; i < 149; ++i) {
    std::vector<Cycle> expected;
    for (Cycle n = 0; n < 10; ++n) expected.push_back(i + n * (1 + i));
    CHECK(blocks[i]->ticks == expected);
  }
  for (const Cycle cycle : blocks[3]->ticks)
    CHECK(std::count(blocks[149]->ticks.begin(), blocks[149]->ticks.end(), cycle) == 1);
}

TEST_CASE("what a block throws comes out of the run as it is, and the domain knows which block it was") {
  testbench::Bench bench;
  Recorder before("before", bench.clock);
  Broken broken("broken", bench.clock);
  bench.add(before);
  bench.add(broken);
  before.wake_at(5);
  broken.wake_at(5);
  CHECK(bench.clock.ticking() == nullptr);
  try {
    bench.clock.run_until(100);
    FAIL("nothing was thrown");
  } catch (const base::BrokenInvariant& error) {
    const std::string what = error.what();
    CHECK(what.find("clock_domain_test.cpp:") != std::string::npos);
    CHECK(what.find("`now() == 0` does not hold") != std::string::npos);
  }
  CHECK(bench.clock.ticking() == &broken);
  CHECK(bench.clock.now() == 5);
}

TEST_CASE("a domain runs the one that it leads to the same time") {
  testbench::Bench bench;
  Led led(bench);
  led.fast_block.period = led.slow_block.period = 1;
  led.fast_block.count = led.slow_block.count = 1000;
  led.fast_block.wake_at(0);
  led.slow_block.wake_at(0);
  bench.clock.run_until(400);
  CHECK(led.fast_block.ticks.size() == 400);
  CHECK(led.slow_block.ticks.size() == 100);
  bench.clock.run_until(402);  // one cycle of the slow one has begun in it
  CHECK(led.fast_block.ticks.size() == 402);
  CHECK(led.slow_block.ticks.size() == 101);
  CHECK(bench.clock.now() == 402);
}

TEST_CASE("a domain sleeps when all that it leads sleep, and its time goes on until then") {
  testbench::Bench bench;
  Led led(bench);
  led.fast_block.wake_at(3);
  led.slow_block.period = 30;
  led.slow_block.count = 5;
  led.slow_block.wake_at(1);
  for (const Cycle end : {50, 100, 400, 484}) {
    bench.clock.run_until(end);
    CHECK(bench.clock.now() == end);
    CHECK_FALSE(bench.clock.asleep());
  }
  bench.clock.run_until(10000);
  CHECK(bench.clock.asleep());
  CHECK(led.slow_block.ticks == std::vector<Cycle>{1, 31, 61, 91, 121});
  CHECK(bench.clock.now() == 4 * 122);
}

TEST_CASE("what a block of a domain that is led throws comes out of the leader") {
  testbench::Bench bench;
  Led led(bench);
  Broken broken("broken", led.slow);
  led.slow.add(broken);
  led.fast_block.period = 1;
  led.fast_block.count = 1000;
  led.fast_block.wake_at(0);
  broken.wake_at(5);
  CHECK_THROWS_AS(bench.clock.run_until(100), base::BrokenInvariant);
  CHECK(bench.clock.ticking() == &broken);
  CHECK(led.fast_block.ticks.size() <= 21);
}

TEST_CASE("a pause by a block of the leader lets each domain do what it does at that time, and no more") {
  check_pause(false);
}
TEST_CASE("a pause by a block of a follower lets each domain do what it does at that time, and no more") {
  check_pause(true);
}

TEST_CASE("a domain that sleeps can be brought to the time of its leader, and nothing comes before it then") {
  testbench::Bench bench;
  Led led(bench);
  led.slow_block.wake_at(2);
  led.fast_block.period = 1;
  led.fast_block.count = 1000;
  led.fast_block.wake_at(0);
  bench.clock.run_until(401);
  CHECK(led.slow.now() == 3);
  led.slow.catch_up();
  CHECK(led.slow.now() == 101);
  Cycle delivered = 0;
  led.slow.deliver(50, [&] { delivered = led.slow.now(); });
  CHECK(led.slow.now() == 101);
  bench.clock.run_until(500);
  CHECK(delivered == 101);
}

TEST_CASE("what arrives at different places in one cycle does so in the order of their names") {
  testbench::Bench bench;
  Recorder block("block", bench.clock);
  bench.add(block);
  std::string order;
  for (const char* place : {"c", "a", "b", "a"})
    bench.clock.deliver(5, [&, place] { order += place; }, place);
  bench.run();
  CHECK(order == "aabc");
}
