// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/decoupled/tile_front_end.h"

#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::tensor_core;

namespace {

TensorCoreParams two_warps() {
  TensorCoreParams p;
  p.warps = 2;
  p.dispatch_depth = 1;
  p.decoupled.instruction_queue = 1;
  p.decoupled.front_end_turnaround = 3;
  return p;
}

protocol::TileProduct product(unsigned warp, base::Cycle ready, std::uint32_t a = 0, std::uint32_t b = 0) {
  protocol::TileProduct result;
  result.origin.warp = static_cast<std::uint8_t>(warp);
  result.ready = ready;
  result.a = a;
  result.b = b;
  return result;
}

}  // namespace

TEST_CASE("warps take turns at the instruction queue, each when its instruction has left the operand stage") {
  TileFrontEnd front_end(two_warps());
  front_end.push(product(0, 5));
  front_end.push(product(1, 4));
  CHECK_FALSE(front_end.room(0));
  CHECK(front_end.fill_queue(3) == TileFrontEnd::kNone);
  CHECK(front_end.fill_queue(4) == 1);
  CHECK(front_end.room(1));
  CHECK(front_end.fill_queue(5) == TileFrontEnd::kNone);  // the queue is full
  CHECK(front_end.start_next(5));
  CHECK(front_end.current().origin.warp == 1);
  CHECK(front_end.fill_queue(5) == 0);
  CHECK_FALSE(front_end.start_next(6));  // the operands of the first are still asked for
}

TEST_CASE("both tiles are asked for block by block, and the next instruction starts a turnaround later") {
  TileFrontEnd front_end(two_warps());
  front_end.push(product(0, 0, 0x400, 0x1000));
  front_end.fill_queue(0);
  CHECK(front_end.start_next(0));
  front_end.push(product(0, 0));
  front_end.fill_queue(1);
  for (unsigned block = 0; block < tile::kBlocks; ++block) {
    CHECK(front_end.address(TileFrontEnd::kA) == 0x400 + block * tile::kBlockBytes);
    front_end.sent(TileFrontEnd::kA, 10 + block);
  }
  CHECK_FALSE(front_end.wants(TileFrontEnd::kA));
  CHECK(front_end.address(TileFrontEnd::kB) == 0x1000);
  for (unsigned block = 0; block < tile::kBlocks; ++block) {
    CHECK(front_end.asking());
    front_end.sent(TileFrontEnd::kB, 60);
  }
  CHECK_FALSE(front_end.asking());
  CHECK_FALSE(front_end.start_next(62));
  CHECK(front_end.start_next(63));
  front_end.reset();
  CHECK_FALSE(front_end.asking());
  CHECK(front_end.room(0));
}
