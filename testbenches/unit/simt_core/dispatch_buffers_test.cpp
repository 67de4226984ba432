// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units/dispatch_buffers.h"

#include "testbenches/support/catch.h"

using namespace spica;
using simt_core::DispatchBuffers;
using simt_core::Dispatched;

namespace {

Dispatched entry(std::uint32_t pc, base::Cycle ready) {
  Dispatched result;
  result.pc = pc;
  result.ready = ready;
  return result;
}

/// pc of what the unit takes in cycle `now`, 0 for nothing.
std::uint32_t taken(DispatchBuffers& buffers, base::Cycle now) {
  unsigned warp = 99;
  const Dispatched* taken_entry = buffers.take(now, warp);
  return taken_entry != nullptr ? taken_entry->pc : 0;
}

}  // namespace

TEST_CASE("each warp has a buffer of its own") {
  DispatchBuffers buffers(4);
  CHECK(buffers.empty());
  buffers.push(1, entry(10, 0));
  CHECK_FALSE(buffers.free(1));
  CHECK(buffers.free(0));
  CHECK_FALSE(buffers.empty());
}

TEST_CASE("an instruction is taken in the cycle in which it is ready and not before") {
  DispatchBuffers buffers(4);
  buffers.push(2, entry(10, 7));
  CHECK(taken(buffers, 6) == 0);
  CHECK(taken(buffers, 7) == 10);
  CHECK(taken(buffers, 8) == 0);
  CHECK(buffers.empty());
}

TEST_CASE("warps take turns") {
  DispatchBuffers buffers(4);
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
  DispatchBuffers buffers(3);
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
  DispatchBuffers buffers(2);
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
