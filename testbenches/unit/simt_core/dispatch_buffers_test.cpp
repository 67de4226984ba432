// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units/dispatch_buffers.h"

#include "testbenches/support/catch.h"
#include "testbenches/unit/simt_core/dispatched_entry.h"

using namespace spica;
using simt_core::DispatchBuffers;
using simt_core::Dispatched;
using simt_core::Turns;

namespace {

/// pc of what the unit takes in cycle `now`, 0 for nothing.
std::uint32_t taken(DispatchBuffers& buffers, base::Cycle now) {
  unsigned warp = 99;
  const Dispatched* taken_entry = buffers.take(now, warp);
  return taken_entry != nullptr ? taken_entry->pc : 0;
}

}  // namespace

TEST_CASE("each warp has a buffer of its own") {
  DispatchBuffers buffers(4, Turns::kRoundRobin);
  CHECK(buffers.empty());
  buffers.push(1, entry(10, 0));
  CHECK_FALSE(buffers.free(1));
  CHECK(buffers.free(0));
  CHECK_FALSE(buffers.empty());
}

TEST_CASE("an instruction is taken in the cycle in which it is ready and not before") {
  DispatchBuffers buffers(4, Turns::kRoundRobin);
  buffers.push(2, entry(10, 7));
  CHECK(taken(buffers, 6) == 0);
  CHECK(taken(buffers, 7) == 10);
  CHECK(taken(buffers, 8) == 0);
  CHECK(buffers.empty());
}

TEST_CASE("warps take turns") {
  DispatchBuffers buffers(4, Turns::kRoundRobin);
  const auto fill = [&](unsigned number) {
    for (const unsigned warp : {0u, 1u, 3u})
      if (buffers.free(warp)) buffers.push(warp, entry(10 * warp + number, 0));
  };
  fill(1);
  for (const std::uint32_t expected : {1u, 11u}) CHECK(taken(buffers, 0) == expected);
  fill(2);
  for (const std::uint32_t expected : {31u, 2u, 12u}) CHECK(taken(buffers, 0) == expected);
}

TEST_CASE("a warp whose instruction is not ready does not lose its turn for the next round") {
  DispatchBuffers buffers(3, Turns::kRoundRobin);
  buffers.push(0, entry(1, 0));
  buffers.push(1, entry(11, 9));
  buffers.push(2, entry(21, 0));
  CHECK(taken(buffers, 0) == 1);
  CHECK(taken(buffers, 0) == 21);
  CHECK(taken(buffers, 0) == 0);
  buffers.push(0, entry(2, 0));
  CHECK(taken(buffers, 9) == 2);  // turn passes on from warp 2
  CHECK(taken(buffers, 9) == 11);
}

TEST_CASE("reset empties the buffers and starts with warp 0 again") {
  DispatchBuffers buffers(2, Turns::kRoundRobin);
  buffers.push(0, entry(1, 0));
  buffers.push(1, entry(11, 0));
  CHECK(taken(buffers, 0) == 1);
  buffers.reset();
  CHECK(buffers.empty());
  buffers.push(1, entry(12, 0));
  buffers.push(0, entry(2, 0));
  CHECK(taken(buffers, 0) == 2);
  CHECK(taken(buffers, 0) == 12);
}

TEST_CASE("with rotating turns the next cycle begins with the next warp, whoever was taken") {
  DispatchBuffers buffers(8, Turns::kRotating);
  for (const unsigned warp : {2u, 3u, 5u}) buffers.push(warp, entry(warp, 10));
  CHECK(taken(buffers, 10) == 2);  // turn of warp 0
  buffers.push(1, entry(1, 11));
  buffers.push(2, entry(2, 11));
  CHECK(taken(buffers, 11) == 1);
  CHECK(taken(buffers, 12) == 2);
  CHECK(taken(buffers, 13) == 3);
  CHECK(taken(buffers, 14) == 5);
}

TEST_CASE("turns rotate while a unit takes nothing, not while no warp asks") {
  DispatchBuffers buffers(4, Turns::kRotating);
  buffers.push(0, entry(1, 20));
  buffers.push(1, entry(11, 21));
  buffers.push(3, entry(31, 22));
  CHECK(taken(buffers, 22) == 31);  // two cycles with a warp that asks: turn of warp 2
  CHECK(taken(buffers, 23) == 1);  // turn of warp 3, then of warp 0
  CHECK(taken(buffers, 24) == 11);
  buffers.push(2, entry(21, 90));
  buffers.push(3, entry(32, 90));
  CHECK(taken(buffers, 90) == 21);  // turn of warp 1: the fifth cycle
  CHECK(taken(buffers, 91) == 32);
}

TEST_CASE("an instruction that passes by the buffers takes a turn, too") {
  DispatchBuffers buffers(4, Turns::kRotating);
  buffers.pass(3, 5);
  buffers.pass(3, 9);
  buffers.push(1, entry(11, 10));
  buffers.push(2, entry(21, 10));
  CHECK(taken(buffers, 10) == 21);
}
