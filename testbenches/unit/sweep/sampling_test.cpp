// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/sampling.h"

#include <set>
#include <vector>

#include "platform/studies/sweep/neighbours.h"
#include "testbenches/support/catch.h"

using namespace spica::sweep;

namespace {
std::vector<std::vector<std::uint64_t>> sample(SampleKind kind, std::uint64_t count,
                                               const std::vector<std::uint64_t>& extents,
                                               std::uint64_t seed = 1) {
  std::vector<std::vector<std::uint64_t>> all;
  for (std::uint64_t i = 0; i < count; ++i) all.push_back(chosen({kind, count, seed}, extents, count, i));
  return all;
}
}  // namespace

TEST_CASE("a permutation has each number once, whatever its size and key") {
  for (const std::uint64_t size : {1, 2, 3, 7, 64, 1000, 4097}) {
    for (const std::uint64_t key : {0, 1, 99}) {
      std::set<std::uint64_t> seen;
      for (std::uint64_t i = 0; i < size; ++i) seen.insert(permuted(i, size, key));
      CHECK(seen.size() == size);
      CHECK(*seen.rbegin() == size - 1);
    }
  }
}

TEST_CASE("the grid is numbered with the last axis fastest") {
  const auto all = sample(SampleKind::kAll, 6, {2, 3});
  CHECK(all.front() == std::vector<std::uint64_t>{0, 0});
  CHECK(all[1] == std::vector<std::uint64_t>{0, 1});
  CHECK(all[3] == std::vector<std::uint64_t>{1, 0});
  CHECK(all.back() == std::vector<std::uint64_t>{1, 2});
}

TEST_CASE("a random sample has no point twice and depends on its seed") {
  const auto all = sample(SampleKind::kRandom, 500, {10, 10, 10});
  CHECK(std::set(all.begin(), all.end()).size() == 500);
  CHECK(sample(SampleKind::kRandom, 500, {10, 10, 10}, 2) != all);
}

TEST_CASE("a longer random or Sobol sample begins with the shorter one") {
  for (const SampleKind kind : {SampleKind::kRandom, SampleKind::kSobol}) {
    const auto shorter = sample(kind, 1000, {50, 60, 70}), longer = sample(kind, 10'000, {50, 60, 70});
    CHECK(std::vector(longer.begin(), longer.begin() + 1000) == shorter);
  }
}

TEST_CASE("a Latin hypercube hits each stratum of each axis once") {
  const auto all = sample(SampleKind::kLatinHypercube, 100, {100, 20, 7});
  std::vector<std::vector<unsigned>> hits{std::vector<unsigned>(100), std::vector<unsigned>(20),
                                          std::vector<unsigned>(7)};
  for (const auto& point : all)
    for (std::size_t i = 0; i < point.size(); ++i) ++hits[i].at(point[i]);
  CHECK(hits[0] == std::vector<unsigned>(100, 1));
  CHECK(hits[1] == std::vector<unsigned>(20, 5));
  for (const unsigned count : hits[2]) CHECK((count == 14 || count == 15));
}

TEST_CASE("a Sobol sequence is even on each axis") {
  const auto all = sample(SampleKind::kSobol, 1024, {8, 16});
  std::vector<unsigned> first(8), second(16);
  for (const auto& point : all) {
    ++first.at(point[0]);
    ++second.at(point[1]);
  }
  for (const unsigned count : first) CHECK((count >= 127 && count <= 129));
  for (const unsigned count : second) CHECK((count >= 63 && count <= 65));
}

TEST_CASE("a step leads to the next power of two, or an eighth further, within the range") {
  using Step = std::optional<std::uint64_t>;
  CHECK(one_step(8, 1, 64, true, true) == Step(16));
  CHECK(one_step(8, 1, 64, true, false) == Step(4));
  CHECK(one_step(64, 1, 64, true, true) == Step());
  CHECK(one_step(1, 1, 64, true, false) == Step());
  CHECK(one_step(2, 1, 63, false, true) == Step(3));
  CHECK(one_step(100, 1, 200, false, false) == Step(88));
  CHECK(one_step(1, 1, 63, false, false) == Step());
  CHECK(one_step(190, 1, 200, false, true) == Step());
}
