// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units/dispatch_buffers.h"

#include <catch2/catch.hpp>

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

TEST_CASE("each warp has buffer entries of its own") {
  DispatchBuffers buffers(4, 2);
  CHECK(buffers.empty());
  buffers.push(1, entry(10, 0));
  buffers.push(1, entry(11, 0));
  CHECK(buffers.full(1));
  CHECK_FALSE(buffers.full(0));
  CHECK_FALSE(buffers.empty());
}

TEST_CASE("an instruction is taken in the cycle in which it is ready and not before") {
  DispatchBuffers buffers(4, 2);
  buffers.push(2, entry(10, 7));
  CHECK(taken(buffers, 6) == 0);
  CHECK(taken(buffers, 7) == 10);
  CHECK(taken(buffers, 8) == 0);
  CHECK(buffers.empty());
}

TEST_CASE("instructions of a warp leave in order, even behind one that is not ready") {
  DispatchBuffers buffers(4, 2);
  buffers.push(0, entry(10, 5));
  buffers.push(0, entry(11, 1));
  CHECK(taken(buffers, 4) == 0);
  CHECK(taken(buffers, 5) == 10);
  CHECK(taken(buffers, 5) == 11);
}

TEST_CASE("warps take turns") {
  DispatchBuffers buffers(4, 2);
  for (const unsigned warp : {0u, 1u, 3u})
    for (unsigned i = 0; i < 2; ++i) buffers.push(warp, entry(10 * warp + i + 1, 0));
  for (const std::uint32_t expected : {1u, 11u, 31u, 2u, 12u, 32u}) CHECK(taken(buffers, 0) == expected);
}

TEST_CASE("a warp whose instruction is not ready does not lose its turn for the next round") {
  DispatchBuffers buffers(3, 2);
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
  DispatchBuffers buffers(2, 2);
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
