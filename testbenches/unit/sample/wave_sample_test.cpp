// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/sample/wave_sample.h"

#include <cmath>
#include <numeric>
#include <random>

#include "testbenches/support/catch.h"

using namespace spica::sample;

namespace {

constexpr std::uint64_t kGroups = 16;  // of a wave
constexpr std::uint64_t kRest = 5;     // work groups after the last whole wave

/// The times of all waves of a run, the incomplete last one included.
using Timeline = std::vector<double>;

struct Result {
  Projected cycles;
  double truth = 0;
  std::uint64_t taken = 0, groups = 0;
  std::vector<std::uint64_t> order;  // of work groups
  bool reached = false, whole = false;

  bool holds() const { return std::abs(cycles.nominal - truth) <= cycles.half_width() + 1e-9 * truth; }
  double error() const { return std::abs(cycles.nominal / truth - 1); }
  double share() const { return static_cast<double>(taken) / static_cast<double>(groups); }
};

/// What waves take more of their time: after a single wave of warm-up, and after none.
struct Extra {
  double cold = 0, jump = 0;
};

/// Samples a machine in which each wave takes its time.
Result sample(const Timeline& times, SampleOptions options, Extra extra = {}, WavePlan plan = kWavesOfGrid) {
  Result result;
  result.groups = (times.size() - 1) * kGroups + kRest;
  std::vector<Segment> segments;
  SegmentQueue queue([&] { segments.push_back({~std::uint64_t{0}, 0}); });
  const auto value = [&](std::size_t i) {
    const auto begin = static_cast<std::ptrdiff_t>(segments[i].begin / kGroups),
               end = static_cast<std::ptrdiff_t>((segments[i].end + kGroups - 1) / kGroups);
    const double time = std::accumulate(times.begin() + begin, times.begin() + end, 0.0);
    const auto follows = [&](std::size_t j) { return segments[j].begin == segments[j - 1].end; };
    if (i >= 1 && !follows(i)) return time * (1 + extra.jump);
    return i >= 2 && !follows(i - 1) ? time * (1 + extra.cold) : time;
  };
  using Values = std::optional<std::vector<double>>;
  WaveSample waves(result.groups, kGroups, plan, options, queue, [&](std::size_t i) -> Values {
    return i + 1 < segments.size() ? Values({value(i)}) : std::nullopt;
  });
  while (queue.any()) {
    const std::uint64_t group = queue.take();
    result.order.push_back(group);
    segments.back().begin = std::min(segments.back().begin, group);
    segments.back().end = group + 1;
  }
  const auto projected = waves.project([&](std::size_t i) -> Values { return Values({value(i)}); });
  result.cycles = projected.at(0);
  result.truth = std::accumulate(times.begin(), times.end(), 0.0);
  result.taken = queue.taken();
  result.reached = waves.reached(projected);
  result.whole = waves.whole();
  return result;
}

/// Of 200 runs with other times and other seeds.
struct Coverage {
  double holds = 0, within = 0, reached = 0, share = 0;  // `within`: 1 % of the truth
};
template <class Make>
Coverage coverage(std::size_t waves, Make&& make, Extra extra = {}, WavePlan plan = kWavesOfGrid) {
  constexpr int kRuns = 200;
  Coverage sum;
  for (int run = 0; run < kRuns; ++run) {
    std::mt19937_64 random(static_cast<std::uint64_t>(run) + 1000);
    Timeline times;
    for (std::size_t wave = 0; wave <= waves; ++wave)
      times.push_back(make(static_cast<double>(wave) / static_cast<double>(waves), random));
    SampleOptions options;
    options.seed = static_cast<std::uint64_t>(run);
    const Result result = sample(times, options, extra, plan);
    sum.holds += result.holds() ? 1.0 / kRuns : 0;
    sum.within += result.error() <= 0.01 ? 1.0 / kRuns : 0;
    sum.reached += result.reached ? 1.0 / kRuns : 0;
    sum.share += result.share() / kRuns;
  }
  return sum;
}

double noise(std::mt19937_64& random) { return std::normal_distribution<double>()(random); }

}  // namespace

TEST_CASE("all work groups in their order are the run itself", "[sample]") {
  Timeline times;
  for (int i = 0; i < 50; ++i) times.push_back(1 + i % 7);
  SampleOptions options;
  options.error = 0;
  const Result result = sample(times, options);
  CHECK(result.whole);
  CHECK(result.cycles.nominal == result.truth);
  CHECK(result.cycles.half_width() == 0);
  std::vector<std::uint64_t> all(result.groups);
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  CHECK(result.order == all);
}

TEST_CASE("a sample is the same for a seed and another one for another seed", "[sample]") {
  const Timeline times(300, 1.0);
  SampleOptions options;
  const auto order = sample(times, options).order;
  CHECK(sample(times, options).order == order);
  options.seed = 2;
  CHECK(sample(times, options).order != order);
}

TEST_CASE("waves of equal times are projected exactly from a few", "[sample]") {
  const Result result = sample(Timeline(2000, 3.0), {});
  CHECK(result.cycles.nominal == Approx(result.truth));
  CHECK(result.cycles.half_width() == 0);
  CHECK(result.share() < 0.03);
}

TEST_CASE("intervals hold the truth for noise, trends, periods, and a change after nine tenths", "[sample]") {
  const Coverage small = coverage(1000, [](double, auto& random) { return 1 + 0.01 * noise(random); });
  CHECK(small.holds >= 0.95);
  CHECK(small.within >= 0.95);
  CHECK(small.share < 0.1);
  const Coverage large = coverage(2000, [](double, auto& random) { return 1 + 0.05 * noise(random); });
  CHECK(large.holds >= 0.94);
  CHECK(large.within >= 0.94);
  const Coverage trend = coverage(1000, [](double x, auto& random) { return 1 + x + 0.02 * noise(random); });
  CHECK(trend.holds >= 0.95);
  CHECK(trend.within >= 0.95);
  const Coverage step =
      coverage(2000, [](double x, auto& random) { return (x < 0.9 ? 1 : 3) + 0.01 * noise(random); });
  CHECK(step.holds >= 0.95);
  CHECK(step.within >= 0.95);
  int wave = 0;
  const Coverage period = coverage(1000, [&](double, auto&) { return 1 + 0.1 * std::sin(wave++ * 0.86); });
  CHECK(period.holds >= 0.93);
  const Coverage skewed = coverage(1000, [](double, auto& random) { return std::exp(0.5 * noise(random)); });
  CHECK(skewed.holds >= 0.93);
}

TEST_CASE("units of loops are projected from few, with intervals that hold", "[sample]") {
  const auto same = [](double, auto& random) { return 1 + 0.01 * noise(random); };
  const Coverage single = coverage(1000, same, {}, units_of_loop(1));
  CHECK(single.holds >= 0.94);
  CHECK(single.within >= 0.95);
  CHECK(single.share < 0.05);
  // The first unit of a row, and the one behind a jump, take longer.
  int unit = 0;
  const auto rows = [&unit](double x, auto& random) {
    if (x == 0) unit = 0;
    return (unit++ % 32 == 0 ? 1.2 : 1) + 0.002 * noise(random);
  };
  const Coverage nest = coverage(1023, rows, {0, 0.1}, units_of_loop(32));
  CHECK(nest.holds >= 0.95);
  CHECK(nest.within >= 0.99);
  CHECK(nest.share < 0.15);
  const auto change = [](double x, auto& random) { return (x < 0.9 ? 1 : 3) + 0.01 * noise(random); };
  const Coverage step = coverage(2000, change, {}, units_of_loop(1));
  CHECK(step.holds >= 0.93);
  CHECK(step.within >= 0.93);
  const Coverage uneven = coverage(
      1000, [](double, auto& random) { return std::exp(0.5 * noise(random)); }, {}, units_of_loop(1));
  CHECK(uneven.holds >= 0.93);
}

TEST_CASE("loops of all shapes are sampled or refused", "[sample]") {
  SampleOptions options;
  options.most = 1;
  for (std::uint64_t row = 1; row < 70; ++row)
    for (std::uint64_t waves = 30; waves < 400; waves += 7) {
      options.seed = waves;
      if (!WaveSample::refusal(waves, "units", units_of_loop(row), options).empty()) continue;
      const Result result = sample(Timeline(waves + 1, 1.0), options, {}, units_of_loop(row));
      CHECK(result.cycles.nominal == Approx(result.truth));
    }
}

TEST_CASE("a warm-up that is too short is found and widens the interval", "[sample]") {
  const Coverage cold =
      coverage(1000, [](double, auto& random) { return 1 + 0.01 * noise(random); }, {0.04, 0});
  CHECK(cold.holds >= 0.94);
  CHECK(cold.reached < 0.1);
}

TEST_CASE("no more work groups than the share that was allowed are simulated", "[sample]") {
  for (const double most : {0.1, 0.3, 0.5}) {
    std::mt19937_64 random(3);
    Timeline times;
    for (int i = 0; i < 1000; ++i) times.push_back(1 + 0.5 * noise(random));
    SampleOptions options;
    options.most = most;
    const Result result = sample(times, options);
    CHECK(result.share() <= most + 0.01);
    CHECK_FALSE(result.reached);
  }
}

TEST_CASE("runs that are too small are refused with the numbers", "[sample]") {
  CHECK(WaveSample::refusal(29, "29 waves", kWavesOfGrid, {}) == "29 waves; a sample needs at least 30");
  CHECK(WaveSample::refusal(300, "300 waves", kWavesOfGrid, {}).empty());
  SampleOptions options;
  options.most = 0.05;
  CHECK(WaveSample::refusal(300, "300 waves", kWavesOfGrid, options).find("max is 5.0 %") !=
        std::string::npos);
  options.most = 1;
  CHECK(WaveSample::refusal(140, "140 units", units_of_loop(64), options) ==
        "140 units; the first two rows are 130 of them, a sample needs at least 142");
  CHECK(WaveSample::refusal(142, "142 units", units_of_loop(64), options).empty());
  options.error = 0;
  CHECK(WaveSample::refusal(3, "3 waves", kWavesOfGrid, options).empty());
}
