// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/sample/estimate.h"

#include <algorithm>
#include <set>

#include "testbenches/support/catch.h"

using namespace spica::sample;

namespace {

/// Strata of these sizes, one after the other.
std::vector<Stratum> strata_of(const std::vector<std::uint64_t>& sizes) {
  std::vector<Stratum> strata;
  std::uint64_t begin = 0;
  for (const std::uint64_t size : sizes) {
    strata.push_back({begin, begin + size, begin});
    begin += size;
  }
  return strata;
}

}  // namespace

TEST_CASE("strata cover all units, each with a unit of its own, the same ones for a seed", "[sample]") {
  Strata strata(103, 10, 5, true);
  for (int round = 0; round < 4; ++round) {
    std::uint64_t at = 0;
    for (const Stratum& one : strata.all()) {
      CHECK(one.begin == at);
      CHECK(one.drawn >= one.begin);
      CHECK(one.drawn < one.end);
      at = one.end;
    }
    CHECK(at == 103);
    strata.split({0, 3, 7});
  }
  const auto drawn = [](std::uint64_t seed) {
    const Strata of_seed(103, 10, seed);
    std::vector<std::uint64_t> units;
    for (const Stratum& one : of_seed.all()) units.push_back(one.drawn);
    return units;
  };
  CHECK(drawn(5) == drawn(5));
  CHECK(drawn(5) != drawn(6));
}

TEST_CASE("a stratum that is halved keeps its unit, and strata of one unit stay", "[sample]") {
  Strata strata(8, 2, 1);
  std::set<std::uint64_t> before;
  for (int round = 0; round < 5; ++round) {
    std::vector<std::size_t> all;
    std::set<std::uint64_t> drawn;
    for (const Stratum& one : strata.all()) {
      all.push_back(all.size());
      drawn.insert(one.drawn);
    }
    CHECK(std::includes(drawn.begin(), drawn.end(), before.begin(), before.end()));
    before = drawn;
    strata.split(all);
  }
  CHECK(strata.all().size() == 8);
}

TEST_CASE("after a split each unit of a stratum is drawn equally often", "[sample]") {
  std::vector<unsigned> counts(8);
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Strata strata(8, 1, seed);
    strata.split({0});
    for (const Stratum& one : strata.all()) ++counts[one.drawn];
  }
  for (const unsigned count : counts) {  // of 8,000 draws: 1,000 and four standard errors
    CHECK(count > 870);
    CHECK(count < 1130);
  }
}

TEST_CASE("equal units have no error, and the sum of all", "[sample]") {
  const Estimate result = estimate(strata_of({10, 20, 30}), {{2, 1}, {2, 2}, {2, 1}}, 0.95);
  CHECK(result.total == 120);
  CHECK(result.half_width == 0);
}

TEST_CASE("strata that were observed wholly contribute no error", "[sample]") {
  const Estimate result = estimate(strata_of({1, 2, 1}), {{1, 1}, {5, 2}, {9, 1}}, 0.95);
  CHECK(result.total == 20);
  CHECK(result.half_width == 0);
}

TEST_CASE("a step between two strata widens the interval by more than the step can hide", "[sample]") {
  // The step from 1 to 3 may be anywhere in the stratum next to it: an error of up to 20 for the sum.
  const Estimate result = estimate(strata_of({10, 10, 10, 10}), {{1, 1}, {1, 1}, {1, 1}, {3, 1}}, 0.95);
  CHECK(result.total == 60);
  CHECK(result.half_width > 20);
  // What is split is next to the step.
  const auto which = strata_to_split(strata_of({10, 10, 10, 10}), result, result.half_width / 2);
  CHECK(std::find(which.begin(), which.end(), 3) != which.end());
}

TEST_CASE("nothing is split when the interval is as narrow as wanted", "[sample]") {
  const auto strata = strata_of({10, 10});
  const Estimate result = estimate(strata, {{1, 1}, {1.1, 1}}, 0.95);
  CHECK(result.half_width > 0);
  CHECK(strata_to_split(strata, result, result.half_width).empty());
  CHECK_FALSE(strata_to_split(strata, result, result.half_width / 3).empty());
}

TEST_CASE("the mean difference leaves out a tenth at each end", "[sample]") {
  std::vector<double> differences(20, 1.0);
  differences[3] = 1000;
  differences[7] = -900;
  const Bias bias = mean_difference(differences);
  CHECK(bias.mean == 1);
  CHECK(bias.error == 0);
  CHECK(mean_difference({}).mean == 0);
  CHECK(mean_difference({1, 3}).mean == 2);
  CHECK(mean_difference({1, 3}).error > 0);
}
