// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/phases.h"

#include <vector>

#include "testbenches/support/catch.h"

using spica::base::Cycle;
using spica::trace::Phases;

namespace {

constexpr unsigned kRunning = 0, kLoad = 1, kBarrier = 2;

struct Recorder {
  Phases phases{kRunning};
  std::vector<Phases::Phase> found;

  void add(unsigned reason, Cycle from, Cycle to) {
    phases.add(reason, 0x80000000 + static_cast<std::uint32_t>(from), from, to,
               [this](const Phases::Phase& phase) { found.push_back(phase); });
  }
  void end() {
    phases.end([this](const Phases::Phase& phase) { found.push_back(phase); });
  }
  void check(std::size_t i, unsigned reason, Cycle from, Cycle to) const {
    REQUIRE(found.size() > i);
    CHECK(found[i].reason == reason);
    CHECK(found[i].from == from);
    CHECK(found[i].to == to);
    Cycle sum = 0;
    for (const auto& [state, cycles] : found[i].cycles) sum += cycles;
    CHECK(sum == to - from);
  }
};

}  // namespace

TEST_CASE("short waits belong to the phase of running around them") {
  Recorder r;
  for (Cycle at = 0; at < 1000; at += 10) {
    r.add(kRunning, at, at + 4);
    r.add(kLoad, at + 4, at + 10);
  }
  r.end();
  REQUIRE(r.found.size() == 1);
  r.check(0, kRunning, 0, 1000);
  CHECK(r.found[0].cycles.at(kLoad) == 600);
}

TEST_CASE("a wait of 64 cycles is a phase, one of 63 is not") {
  for (const Cycle wait : {Cycle{63}, Cycle{64}}) {
    Recorder r;
    r.add(kRunning, 0, 100);
    r.add(kLoad, 100, 100 + wait);
    r.add(kRunning, 100 + wait, 300 + wait);
    r.end();
    CHECK(r.found.size() == (wait < Phases::kShort ? 1 : 3));
  }
}

TEST_CASE("a short run between two waits for the same does not divide them") {
  Recorder r;
  r.add(kLoad, 0, 300);
  r.add(kRunning, 300, 310);
  r.add(kLoad, 310, 700);
  r.add(kRunning, 700, 900);
  r.end();
  REQUIRE(r.found.size() == 2);
  r.check(0, kLoad, 0, 700);
  r.check(1, kRunning, 700, 900);
}

TEST_CASE("a short run between two different waits belongs to the second") {
  Recorder r;
  r.add(kLoad, 0, 300);
  r.add(kRunning, 300, 310);
  r.add(kBarrier, 310, 700);
  r.end();
  REQUIRE(r.found.size() == 2);
  r.check(0, kLoad, 0, 300);
  r.check(1, kBarrier, 300, 700);
}

TEST_CASE("many short states behind a wait are a phase of running once they last as long as one") {
  Recorder r;
  r.add(kBarrier, 0, 500);
  for (Cycle at = 500; at < 580; at += 8) r.add(at % 16 == 4 ? kRunning : kLoad, at, at + 8);
  r.end();
  REQUIRE(r.found.size() == 2);
  r.check(0, kBarrier, 0, 500);
  r.check(1, kRunning, 500, 580);
}

TEST_CASE("a warp that did not run between two states has no phase there") {
  Recorder r;
  r.add(kRunning, 0, 100);
  r.add(kRunning, 500, 600);
  r.end();
  REQUIRE(r.found.size() == 2);
  r.check(0, kRunning, 0, 100);
  r.check(1, kRunning, 500, 600);
}
