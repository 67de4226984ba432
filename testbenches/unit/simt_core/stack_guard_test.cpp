// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "models/simt_core/warp/stack_guard.h"
#include "testbenches/support/catch.h"

using namespace spica;
using simt_core::lane_stack_overflow;
using simt_core::stack_left;
using simt_core::StackGuard;

namespace {

// Stacks of 0x1000 bytes; hart 0 has 0xF000 to 0x10000, hart 1 0xDFF0 to 0xEFF0.
constexpr StackGuard kGuard{0x10000, 0x1010, 0x1000, 0x2000, 0x3000};
constexpr std::uint32_t kPush = 0xFE010113;  // addi sp, sp, -32
constexpr std::uint32_t kSubtract = 0x40F10133;  // sub sp, sp, a5
constexpr std::uint32_t kMove = 0x00050113;  // mv sp, a0

std::uint32_t left(std::uint32_t word, std::array<std::uint32_t, 2> before,
                   std::array<std::uint32_t, 2> after, std::uint32_t mask = 3, std::uint32_t first_hart = 0) {
  return stack_left(kGuard, isa::decode(word), first_hart, mask, before.data(), after.data());
}

}  // namespace

TEST_CASE("a stack is left below its first byte and not before") {
  CHECK(left(kPush, {0xF020, 0xE010}, {0xF000, 0xDFF0}) == 0);
  CHECK(left(kPush, {0xF010, 0xE010}, {0xEFF0, 0xDFF0}) == 1);
  CHECK(left(kPush, {0xF010, 0xE000}, {0xEFF0, 0xDFE0}) == 3);
  CHECK(left(kPush, {0xF010, 0xE000}, {0xEFF0, 0xDFE0}, 2) == 2);  // lane 0 is not active
  CHECK(left(kPush, {0xE000, 0xCFF0}, {0xDFE0, 0xCFD0}, 3, 1) == 3);
}

TEST_CASE("a frame that jumps over other stacks leaves its own") {
  CHECK(left(kSubtract, {0x10000, 0xEFF0}, {0x8000, 0x2800}) == 3);
}

TEST_CASE("only a pointer that was in its stack can leave it") {
  CHECK(left(kPush, {0, 0}, {0xFFFF'FFE0, 0xFFFF'FFE0}) == 0);
  CHECK(left(kPush, {0xEFFF, 0x2900}, {0xEFDF, 0x28E0}) == 0);
}

TEST_CASE("a pointer from elsewhere into the program's own memory is another stack") {
  CHECK(left(kMove, {0xF800, 0xE800}, {0x2FF0, 0x2000}) == 0);
  CHECK(left(kMove, {0xF800, 0xE800}, {0x3000, 0x1FFF}) == 3);  // the result of a subtraction
}

TEST_CASE("what moves a stack pointer is arithmetic") {
  CHECK(simt_core::moves_stack(isa::decode(kPush)));
  CHECK(simt_core::moves_stack(isa::decode(kMove)));
  CHECK_FALSE(simt_core::moves_stack(isa::decode(0x00012103)));  // lw sp, 0(sp): another context
  CHECK_FALSE(simt_core::moves_stack(isa::decode(0x34011173)));  // csrrw sp, mscratch, sp
  CHECK_FALSE(simt_core::moves_stack(isa::decode(0xFE010093)));  // addi ra, sp, -32
}

TEST_CASE("the report says whose stack it is and how much is in use") {
  const std::array<std::uint32_t, 2> before{0xF010, 0xE000}, after{0xEFF0, 0xDFE0};
  const simt_core::GuestError error = lane_stack_overflow(kGuard, 0, 2, before.data(), after.data());
  CHECK(error.kind == protocol::FaultKind::kStackOverflow);
  CHECK(error.severity == protocol::Severity::kFault);
  CHECK(error.lanes == 2);
  CHECK(error.address == 0xDFE0);
  CHECK(
      error.detail ==
      "lane 1: 4080 bytes of its stack are in use and 32 more are needed, in total 4112 of 4096 bytes; the stack is "
      "0x0000dff0 to 0x0000efef");
}
