// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units/stale_operands.h"

#include "models/isa/instruction.h"
#include "testbenches/support/catch.h"

using namespace spica;
using simt_core::StaleOperands;

namespace {

const isa::Instruction kAnd = isa::decode(0x00007033), kAdd = isa::decode(0x00000033);

}  // namespace

TEST_CASE(
    "what stands in the operand buffer is seen in its cycle, then what stood there entries pushes ago") {
  StaleOperands two(2), four(4);
  for (StaleOperands* seen : {&two, &four}) {
    seen->push(5, kAnd);
    CHECK_FALSE(seen->shows_fence(4));
    CHECK(seen->shows_fence(5));
    CHECK_FALSE(seen->shows_fence(6));
    seen->push(8, kAdd);
    CHECK_FALSE(seen->shows_fence(8));
  }
  CHECK(two.shows_fence(9));  // the one before the last
  CHECK_FALSE(four.shows_fence(9));
  for (const base::Cycle at : {10, 11}) four.push(at, kAdd);
  CHECK(four.shows_fence(12));
  four.push(13, kAdd);
  CHECK_FALSE(four.shows_fence(14));
}

TEST_CASE("instructions that nobody has looked at for long are as if they had been seen") {
  StaleOperands seen(2);
  for (base::Cycle at = 1; at <= 100; ++at) seen.push(at, at == 99 ? kAnd : kAdd);
  CHECK(seen.shows_fence(200));
}

TEST_CASE("without entries nothing is looked at") { CHECK_FALSE(StaleOperands(0).on()); }
