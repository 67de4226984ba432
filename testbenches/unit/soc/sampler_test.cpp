// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "platform/machine/soc/sampler.h"
#include "testbenches/support/catch.h"

using namespace spica;
using soc::CounterSeries;

namespace {

/// A machine whose counter is ten times the cycle; it catches up when it is told to.
struct Machine {
  soc::Sampler sampler{[this] { ++caught_up; }};
  unsigned caught_up = 0;

  CounterSeries& add(soc::Windows windows) {
    return sampler.add_counters([](base::Cycle cycle) { return CounterSeries::Row{10 * cycle}; }, windows);
  }
  /// All edges before `cycle`, as the session visits them.
  void run(base::Cycle from, base::Cycle cycle) {
    if (from == 0) sampler.begin(0);
    for (; sampler.next_edge() < cycle; ++from)
      if (sampler.next_edge() == from) sampler.at_edge(from);
  }
};

std::vector<base::Cycle> cycles_of(const CounterSeries& series) {
  std::vector<base::Cycle> cycles;
  for (const CounterSeries::Sample& edge : series.edges()) cycles.push_back(edge.cycle);
  return cycles;
}

}  // namespace

TEST_CASE("a series is read at the start, at the edges of its windows and at the end") {
  Machine machine;
  const CounterSeries& series = machine.add({8});
  machine.run(0, 20);
  machine.sampler.end(20);
  CHECK(cycles_of(series) == std::vector<base::Cycle>{8, 16});
  const auto steps = series.steps();
  REQUIRE(steps.size() == 3);
  CHECK(steps[1].begin == 8);
  CHECK(steps[1].end == 16);
  CHECK(steps[1].counts == CounterSeries::Row{80});
  CHECK(steps[2].counts == CounterSeries::Row{40});
  CHECK(series.whole().counts == CounterSeries::Row{200});
  CHECK(machine.caught_up == 4);
}

TEST_CASE("of too many edges every other one goes, and windows are twice as long") {
  Machine machine;
  const CounterSeries& series = machine.add({1, 4});
  machine.run(0, 4);
  CHECK(cycles_of(series) == std::vector<base::Cycle>{1, 2, 3});
  machine.run(4, 5);
  CHECK(cycles_of(series) == std::vector<base::Cycle>{2, 4});
  CHECK(series.window_length() == 2);
  machine.run(5, 9);
  CHECK(cycles_of(series) == std::vector<base::Cycle>{4, 8});
  CHECK(series.window_length() == 4);
}

TEST_CASE("series of different windows share a sampler") {
  Machine machine;
  const CounterSeries &fine = machine.add({2}), &coarse = machine.add({3});
  machine.run(0, 7);
  CHECK(cycles_of(fine) == std::vector<base::Cycle>{2, 4, 6});
  CHECK(cycles_of(coarse) == std::vector<base::Cycle>{3, 6});
}

TEST_CASE("a listener gets each window and what is left at the end, and nothing is kept") {
  Machine machine;
  std::vector<CounterSeries::Span> heard;
  CounterSeries& series = machine.add({8});
  series.listen([&](const CounterSeries::Span& window) { heard.push_back(window); });
  machine.run(0, 10);
  machine.sampler.end(10);
  REQUIRE(heard.size() == 2);
  CHECK(heard[0].counts == CounterSeries::Row{80});
  CHECK(heard[1].begin == 8);
  CHECK(heard[1].counts == CounterSeries::Row{20});
  CHECK(series.edges().empty());
}

TEST_CASE("the marked region is from the first begin marker to the last end marker") {
  Machine machine;
  const CounterSeries &series = machine.add({100, 0, true}), &unmarked = machine.add({100});
  machine.sampler.begin(0);
  machine.sampler.at_markers(3, 0, 1);  // ends nothing
  CHECK_FALSE(series.is_marked());
  machine.sampler.at_markers(5, 1, 0);
  machine.sampler.at_markers(7, 1, 0);
  machine.sampler.at_markers(9, 0, 2);
  machine.sampler.at_markers(20, 1, 0);
  machine.sampler.at_markers(25, 0, 1);
  machine.sampler.at_markers(30, 1, 0);
  machine.sampler.end(40);
  CHECK(series.is_marked());
  CHECK(series.marked().counts == CounterSeries::Row{200});
  const auto regions = series.regions();
  REQUIRE(regions.size() == 3);
  CHECK(regions[0].counts == CounterSeries::Row{40});
  CHECK(regions[2].end == 40);  // open at the end
  CHECK_FALSE(unmarked.is_marked());
  CHECK(unmarked.marked().counts == CounterSeries::Row{400});
}
