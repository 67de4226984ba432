// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>
#include <vector>

#include "models/interconnect/switch.h"
#include "testbenches/support/catch.h"

using namespace spica;
using interconnect::Arbitration;
using interconnect::Switch;
using interconnect::Transfer;

namespace {

struct Moved {
  unsigned input, output;
  base::Cycle cycle;
};

/// A switch without limits behind it.
struct Free {
  Free(unsigned inputs, unsigned outputs, Arbitration arbitration = Arbitration::kIslip)
      : dut(inputs, outputs, 16, arbitration) {}
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
  for (const Arbitration arbitration : {Arbitration::kIslip, Arbitration::kRoundRobin}) {
    constexpr unsigned kInputs = 7;
    Free f(kInputs, 3, arbitration);
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

TEST_CASE("uniform random traffic with queues in order reaches 0.586 packets per cycle and output") {
  constexpr unsigned kPorts = 128;
  Free f(kPorts, kPorts);
  std::mt19937 random(1);
  const auto fill = [&] {
    for (unsigned input = 0; input < kPorts; ++input)
      while (!f.dut.full(input)) f.push(input, random() % kPorts);
  };
  for (unsigned cycle = 0; cycle < 500; ++cycle) fill(), f.tick();
  f.moved.clear();
  constexpr unsigned kCycles = 2000;
  for (unsigned cycle = 0; cycle < kCycles; ++cycle) fill(), f.tick();
  CHECK(static_cast<double>(f.moved.size()) / kCycles / kPorts == Approx(0.586).margin(0.02));
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
  Switch dut(2, 2, 4, Arbitration::kIslip);
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
