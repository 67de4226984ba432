// SPDX-License-Identifier: Apache-2.0
#include "models/mma_offload/offload_rule.h"

#include <vector>

#include "testbenches/support/catch.h"

using namespace spica::mma_offload;

namespace {

OffloadParams with(std::uint64_t mma_latency, std::uint64_t mac_interval,
                   Counter counter = Counter::kCapped) {
  OffloadParams p;
  p.enabled = true;
  p.mma_latency = mma_latency;
  p.mac_interval = mac_interval;
  p.counter = counter;
  return p;
}

/// The numbers, from 1, of those among the first 40 operations of 16x16x16 that go to the lanes, which are busy when
/// the operations `from` to `to` come.
std::vector<int> offloaded(Counter counter, int from = 0, int to = -1) {
  OffloadRule rule(with(64, 4, counter));
  std::vector<int> numbers;
  for (int i = 1; i <= 40; ++i)
    if (rule.next(128, i < from || i > to)) numbers.push_back(i);
  return numbers;
}

}  // namespace

TEST_CASE("the rate follows from the shape and the latencies", "[mma_offload]") {
  struct Row {
    unsigned m, n, k;
    std::uint64_t mma_latency, mac_interval;
    unsigned instructions, rate;
  };
  for (const Row& row :
       {Row{16, 16, 16, 64, 4, 128, 9}, Row{32, 8, 16, 64, 4, 128, 9}, Row{8, 32, 16, 64, 4, 128, 9},
        Row{16, 16, 16, 64, 2, 128, 5}, Row{16, 16, 16, 32, 4, 128, 17}, Row{8, 8, 16, 64, 4, 32, 3}}) {
    CHECK(OffloadRule::instructions(row.m, row.n, row.k, 32) == row.instructions);
    CHECK(OffloadRule(with(row.mma_latency, row.mac_interval)).rate(row.instructions) == row.rate);
  }
}

TEST_CASE("with free lanes every n-th operation goes there", "[mma_offload]") {
  CHECK(offloaded(Counter::kCapped) == std::vector<int>{9, 18, 27, 36});
  CHECK(offloaded(Counter::kLiteral) == std::vector<int>{9, 18, 27, 36});
}

TEST_CASE("an operation whose turn meets busy lanes passes it to the next one", "[mma_offload]") {
  CHECK(offloaded(Counter::kCapped, 9, 11) == std::vector<int>{12, 21, 30, 39});
}

TEST_CASE("read literally, a missed turn never comes again", "[mma_offload]") {
  CHECK(offloaded(Counter::kLiteral, 9, 11).empty());
  CHECK(offloaded(Counter::kLiteral, 18, 18) == std::vector<int>{9});
}

TEST_CASE("a unit that never takes an operation counts none", "[mma_offload]") {
  CHECK(offloaded(Counter::kNever).empty());
}
