// SPDX-License-Identifier: Apache-2.0
#include "models/isa/simt_stack.h"

#include "testbenches/support/catch.h"

namespace spica::isa {

TEST_CASE("scalar operands come from the highest active lane") {
  CHECK(scalar_lane(0x01) == 0);
  CHECK(scalar_lane(0x5A) == 6);
  CHECK(scalar_lane(0x80000001) == 31);
}

TEST_CASE("tmc sets the mask and keeps only existing lanes") {
  SimtStack simt(7, 8);
  CHECK(simt.mask() == 0);
  simt.tmc(0xFFFFFFFF);
  CHECK(simt.mask() == 0xFF);
  simt.tmc(0x105);
  CHECK(simt.mask() == 0x05);
  SimtStack wide(7, 32);
  wide.tmc(0xFFFFFFFF);
  CHECK(wide.mask() == 0xFFFFFFFF);
  SimtStack four(7, 4);
  four.tmc(0xFF);
  CHECK(four.mask() == 0x0F);
}

TEST_CASE("pred keeps the lanes that want to go on, or restores the given mask") {
  SimtStack simt(7, 8);
  simt.tmc(0x0F);
  simt.pred(0x3C, 0xFF);
  CHECK(simt.mask() == 0x0C);
  simt.pred(0x03, 0x10F);
  CHECK(simt.mask() == 0x0F);
}

TEST_CASE("a divergent split runs the then lanes, then the else lanes, then all") {
  SimtStack simt(7, 8);
  simt.tmc(0xFF);
  const SplitResult split = simt.split(0x0F, 0x104);
  CHECK(split.diverged);
  CHECK_FALSE(split.overflow);
  CHECK(simt.mask() == 0x0F);
  CHECK(simt.depth() == 1);

  const JoinResult first = simt.join(true);
  CHECK(first.jumps);
  CHECK(first.pc == 0x104);
  CHECK_FALSE(first.underflow);
  CHECK(simt.mask() == 0xF0);
  CHECK(simt.depth() == 1);

  const JoinResult second = simt.join(true);
  CHECK_FALSE(second.jumps);
  CHECK(simt.mask() == 0xFF);
  CHECK(simt.depth() == 0);
}

TEST_CASE("a split on which all active lanes agree changes nothing") {
  SimtStack simt(7, 8);
  simt.tmc(0x3C);
  for (const std::uint32_t condition : {0xFFu, 0x3Cu, 0x00u, 0xC3u}) {
    CHECK_FALSE(simt.split(condition, 4).diverged);
    CHECK(simt.mask() == 0x3C);
    CHECK(simt.depth() == 0);
    const JoinResult join = simt.join(false);
    CHECK_FALSE(join.jumps);
    CHECK_FALSE(join.underflow);
    CHECK(simt.mask() == 0x3C);
  }
}

TEST_CASE("splits nest on both sides") {
  SimtStack simt(7, 8);
  simt.tmc(0xFF);
  simt.split(0x0F, 0x100);
  simt.split(0x03, 0x200);
  CHECK(simt.mask() == 0x03);
  CHECK(simt.join(true).pc == 0x200);
  CHECK(simt.mask() == 0x0C);
  simt.join(true);
  CHECK(simt.mask() == 0x0F);
  CHECK(simt.join(true).pc == 0x100);
  CHECK(simt.mask() == 0xF0);
  simt.split(0x80, 0x300);
  CHECK(simt.mask() == 0x80);
  CHECK(simt.join(true).pc == 0x300);
  CHECK(simt.mask() == 0x70);
  simt.join(true);
  CHECK(simt.mask() == 0xF0);
  simt.join(true);
  CHECK(simt.mask() == 0xFF);
  CHECK(simt.depth() == 0);
}

TEST_CASE("one split more than the stack holds is an overflow and changes nothing") {
  SimtStack simt(3, 8);
  simt.tmc(0xFF);
  for (const std::uint32_t then_lanes : {0x7Fu, 0x3Fu, 0x1Fu})
    CHECK_FALSE(simt.split(then_lanes, 4).overflow);
  CHECK(simt.split(0x0F, 4).overflow);
  CHECK(simt.mask() == 0x1F);
  CHECK(simt.depth() == 3);
  CHECK_FALSE(simt.split(0x1F, 4).overflow);  // no divergence needs no entry
}

TEST_CASE("a join without an open split is an underflow and changes nothing") {
  SimtStack simt(7, 8);
  simt.tmc(0x0F);
  CHECK(simt.join(true).underflow);
  CHECK(simt.mask() == 0x0F);
}

TEST_CASE("reset clears mask and stack, clear_stack keeps the mask") {
  SimtStack simt(7, 8);
  simt.tmc(0xFF);
  simt.split(1, 4);
  simt.clear();
  CHECK(simt.depth() == 0);
  CHECK(simt.mask() == 1);
  simt.reset();
  CHECK(simt.mask() == 0);
}

}  // namespace spica::isa
