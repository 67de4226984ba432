// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "models/interconnect/switch.h"
#include "testbenches/support/catch.h"

using namespace spica;
using interconnect::Arbitration;
using interconnect::Queues;
using interconnect::Switch;
using interconnect::Transfer;

namespace {

struct Moved {
  unsigned input, output;
  base::Cycle cycle;
};

/// A switch without limits behind it.
struct Free {
  Free(unsigned inputs, unsigned outputs, Arbitration arbitration = Arbitration::kIslip,
       Queues queues = Queues::kInOrder, unsigned depth = 16)
      : dut(inputs, outputs, depth, queues, arbitration) {}
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
  Switch dut(2, 2, 4, Queues::kInOrder, Arbitration::kIslip);
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
}
