// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "models/interconnect/switch.h"
#include "testbenches/support/accounts.h"
#include "testbenches/support/catch.h"

using namespace spica;
using interconnect::Arbitration;
using interconnect::Queues;
using interconnect::Switch;
using interconnect::Transfer;
using testbench::accounts_add_up;
using testbench::charged;

namespace {

struct Moved {
  unsigned input, output;
  base::Cycle cycle;
};

base::ChannelAccounts accounts(base::StatGroup& stats, const char* name, unsigned channels,
                               const char* wait) {
  return {stats, channels, name, "cycles by reason", {"idle", "moving", "busy", wait}};
}

/// A switch without limits behind it.
struct Free {
  Free(unsigned inputs, unsigned outputs, Arbitration arbitration = Arbitration::kIslip,
       Queues queues = Queues::kInOrder, unsigned depth = 16)
      : dut(depth, queues, arbitration, accounts(stats, "inputs", inputs, "not_taken"),
            accounts(stats, "outputs", outputs, "no_room")) {}
  void push(unsigned input, unsigned output, unsigned packets = 1) {
    Transfer transfer;
    transfer.output = static_cast<std::uint16_t>(output);
    transfer.packets = static_cast<std::uint16_t>(packets);
    dut.push(input, transfer, now);
  }
  void tick() {
    dut.tick(
        now, [](unsigned) { return true; },
        [this](unsigned input, const Transfer& transfer) { moved.push_back({input, transfer.output, now}); });
    ++now;
  }
  /// Cycles of a reason so far, of an input or output.
  std::uint64_t cycles(const char* name, const char* reason, unsigned index) {
    dut.catch_up(now);
    stats.settle(now);
    CHECK(accounts_add_up(stats, now));
    return charged(stats, name, reason, index);
  }
  base::StatGroup stats;
  Switch dut;
  base::Cycle now = 0;
  std::vector<Moved> moved;
};

}  // namespace

TEST_CASE("inputs that ask for one output get equal shares and wait for at most one turn") {
  for (const auto& [arbitration, queues] : {std::pair{Arbitration::kIslip, Queues::kInOrder},
                                            std::pair{Arbitration::kRoundRobin, Queues::kInOrder},
                                            std::pair{Arbitration::kIslip, Queues::kPerOutput},
                                            std::pair{Arbitration::kRoundRobin, Queues::kPerOutput}}) {
    constexpr unsigned kInputs = 7;
    Free f(kInputs, 3, arbitration, queues);
    std::vector<unsigned> count(kInputs, 0);
    std::vector<base::Cycle> last(kInputs, 0);
    for (unsigned cycle = 0; cycle < kInputs * 100; ++cycle) {
      for (unsigned input = 0; input < kInputs; ++input)
        while (!f.dut.full(input)) f.push(input, 1);
      f.moved.clear();
      f.tick();
      REQUIRE(f.moved.size() == 1);
      const unsigned winner = f.moved[0].input;
      ++count[winner];
      CHECK(f.moved[0].cycle - last[winner] <= kInputs);
      last[winner] = f.moved[0].cycle;
    }
    for (const unsigned packets : count) CHECK((packets >= 99 && packets <= 101));
  }
}

TEST_CASE("a permutation passes at one packet per cycle and port") {
  constexpr unsigned kPorts = 24;
  Free f(kPorts, kPorts);
  for (unsigned cycle = 0; cycle < 200; ++cycle) {
    for (unsigned input = 0; input < kPorts; ++input)
      if (!f.dut.full(input)) f.push(input, (5 * input + 3) % kPorts);
    f.tick();
  }
  CHECK(f.moved.size() == 200 * kPorts);
}

namespace {

/// Transfers per cycle and output under uniform random traffic that keeps all inputs full.
double saturated(unsigned inputs, unsigned outputs, Queues queues, unsigned depth, unsigned packets) {
  Free f(inputs, outputs, Arbitration::kIslip, queues, depth);
  std::mt19937 random(1);
  const auto fill = [&] {
    for (unsigned input = 0; input < inputs; ++input)
      while (!f.dut.full(input)) f.push(input, random() % outputs, packets);
  };
  for (unsigned cycle = 0; cycle < 500; ++cycle) fill(), f.tick();
  f.moved.clear();
  constexpr unsigned kCycles = 2000;
  for (unsigned cycle = 0; cycle < kCycles; ++cycle) fill(), f.tick();
  return static_cast<double>(f.moved.size()) / kCycles / outputs;
}

}  // namespace

TEST_CASE("uniform random traffic with queues in order reaches 0.586 packets per cycle and output") {
  CHECK(saturated(128, 128, Queues::kInOrder, 16, 1) == Approx(0.586).margin(0.02));
}

TEST_CASE("with a queue for each output, random traffic fills the side with fewer ports") {
  CHECK(saturated(64, 80, Queues::kPerOutput, 512, 1) * 80 > 0.97 * 64);
  CHECK(4 * saturated(64, 80, Queues::kPerOutput, 512, 4) * 80 > 0.97 * 64);
  CHECK(saturated(80, 64, Queues::kPerOutput, 512, 1) > 0.97);
}

TEST_CASE("with a queue for each output, transfers overtake those for other outputs, but not for the same") {
  Free f(2, 3, Arbitration::kIslip, Queues::kPerOutput);
  f.push(0, 0, 4);
  f.tick();
  f.push(1, 0);
  f.push(1, 2);
  f.push(1, 0, 3);
  f.push(1, 1);
  for (unsigned i = 0; i < 12; ++i) f.tick();
  CHECK(f.dut.empty());
  std::vector<std::pair<unsigned, base::Cycle>> of_one;
  for (const Moved& one : f.moved)
    if (one.input == 1) of_one.emplace_back(one.output, one.cycle);
  std::vector<base::Cycle> to_first;
  for (const auto& [output, cycle] : of_one)
    if (output == 0) to_first.push_back(cycle);
  CHECK(to_first == std::vector<base::Cycle>{4, 5});
  REQUIRE(of_one.size() == 4);
  CHECK(of_one[0].second == 1);
  CHECK(of_one[1].second == 2);
}

TEST_CASE("outputs that compete for one input get equal shares") {
  Free f(1, 5, Arbitration::kIslip, Queues::kPerOutput, 64);
  std::vector<unsigned> count(5, 0);
  unsigned next = 0;
  for (unsigned cycle = 0; cycle < 1000; ++cycle) {
    while (!f.dut.full(0)) f.push(0, next++ % 5);
    f.tick();
  }
  for (const Moved& one : f.moved) ++count[one.output];
  for (const unsigned packets : count) CHECK((packets >= 190 && packets <= 210));
}

TEST_CASE("one input alone sends a packet in every cycle") {
  Free f(4, 8);
  for (unsigned i = 0; i < 16; ++i) f.push(2, i % 8);
  for (unsigned i = 0; i < 16; ++i) f.tick();
  REQUIRE(f.moved.size() == 16);
  for (unsigned i = 0; i < 16; ++i) CHECK(f.moved[i].cycle == i);
  CHECK(f.dut.empty());
}

TEST_CASE("a transfer of several packets occupies its input and its output") {
  Free f(3, 2);
  f.push(0, 0, 4);
  f.push(0, 1);
  f.push(1, 0);
  f.push(2, 1);
  for (unsigned i = 0; i < 8; ++i) f.tick();
  REQUIRE(f.moved.size() == 4);
  const auto cycle_of = [&](unsigned input, unsigned output) {
    const auto found = std::find_if(f.moved.begin(), f.moved.end(), [&](const Moved& one) {
      return one.input == input && one.output == output;
    });
    return found->cycle;
  };
  CHECK(cycle_of(0, 0) == 0);
  CHECK(cycle_of(2, 1) == 0);
  CHECK(cycle_of(1, 0) == 4);
  CHECK(cycle_of(0, 1) == 4);
}

TEST_CASE("an output without room keeps the first transfer, and those behind it") {
  base::StatGroup stats;
  Switch dut(4, Queues::kInOrder, Arbitration::kIslip, accounts(stats, "inputs", 2, "not_taken"),
             accounts(stats, "outputs", 2, "no_room"));
  Transfer blocked, other;
  blocked.output = 0;
  other.output = 1;
  dut.push(0, blocked, 0);
  dut.push(0, other, 0);
  dut.push(1, other, 0);
  std::vector<unsigned> moved;
  const auto tick = [&](base::Cycle now, bool room) {
    dut.tick(
        now, [&](unsigned output) { return output == 1 || room; },
        [&](unsigned input, const Transfer&) { moved.push_back(input); });
  };
  for (base::Cycle now = 0; now < 5; ++now) tick(now, false);
  CHECK(moved == std::vector<unsigned>{1});
  CHECK(dut.next(5, [](unsigned output) { return output == 1; }) == base::kNever);
  tick(5, true);
  tick(6, true);
  CHECK(moved == std::vector<unsigned>{1, 0, 0});
  dut.catch_up(10);
  stats.settle(10);
  CHECK(accounts_add_up(stats, 10));
  CHECK(charged(stats, "outputs", "no_room", 0) == 5);
  CHECK(charged(stats, "outputs", "no_room", 1) == 0);
  CHECK(charged(stats, "inputs", "not_taken", 0) == 5);
  CHECK(charged(stats, "inputs", "busy", 0) == 1);
  CHECK(charged(stats, "inputs", "moving", 0) == 1);
}

TEST_CASE("the accounts of inputs and outputs name the side that limits") {
  for (const Queues queues : {Queues::kInOrder, Queues::kPerOutput}) {
    Free one(4, 4, Arbitration::kIslip, queues);  // an input that sends to all outputs
    Free all(4, 4, Arbitration::kIslip, queues);  // all inputs send to one output
    for (unsigned cycle = 0; cycle < 100; ++cycle) {
      if (!one.dut.full(1)) one.push(1, cycle % 4);
      if (!one.dut.full(1)) one.push(1, (cycle + 1) % 4);
      for (unsigned input = 0; input < 4; ++input)
        if (!all.dut.full(input)) all.push(input, 2);
      one.tick();
      all.tick();
    }
    CHECK(one.cycles("inputs", "busy", 1) == 100);
    CHECK(one.cycles("inputs", "idle", 0) == 100);
    CHECK(one.cycles("inputs", "not_taken", 1) == 0);
    for (unsigned output = 0; output < 4; ++output) {
      CHECK(one.cycles("outputs", "moving", output) + one.cycles("outputs", "busy", output) == 25);
      CHECK(one.cycles("outputs", "no_room", output) == 0);
    }
    CHECK(all.cycles("outputs", "busy", 2) == 100);
    CHECK(all.cycles("outputs", "idle", 1) == 100);
    std::uint64_t waited = 0;
    for (unsigned input = 0; input < 4; ++input) waited += all.cycles("inputs", "not_taken", input);
    CHECK(waited == 300);  // one of four passes, the others wait
  }
}

TEST_CASE("a transfer that comes while another one passes makes its ends busy from then on") {
  Free f(2, 2);
  f.push(0, 0, 8);
  f.tick();
  f.tick();
  f.tick();
  f.push(1, 0);  // waits for output 0
  f.push(0, 1);  // waits for input 0
  for (unsigned i = 0; i < 9; ++i) f.tick();
  CHECK(f.cycles("outputs", "moving", 0) == 4);  // three of the long one, and the short one alone
  CHECK(f.cycles("outputs", "busy", 0) == 5);
  CHECK(f.cycles("inputs", "moving", 0) == 4);
  CHECK(f.cycles("inputs", "busy", 0) == 5);
  CHECK(f.cycles("inputs", "not_taken", 1) == 5);
  CHECK(f.cycles("inputs", "moving", 1) == 1);
}
