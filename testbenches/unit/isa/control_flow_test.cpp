// SPDX-License-Identifier: Apache-2.0
#include "testbenches/unit/isa/one_instruction.h"

namespace spica::isa::test {

using namespace testbench::rv;

TEST_CASE("a branch is taken by the lanes whose operands fulfil its condition") {
  const u32 a[8] = {0, 1, 0x80000000, 0x7FFFFFFF, 0xFFFFFFFF, 5, 5, 0};
  const u32 b[8] = {0, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 4, 6, 0xFFFFFFFF};
  struct Case {
    u32 f3, taken;
  };
  // Lane by lane from the right: equal, less, less (signed), greater (signed), equal, greater,
  // less, greater
  const Case cases[] = {{0, 0x11}, {1, 0xEE}, {4, 0x46}, {5, 0xB9}, {6, 0xCA}, {7, 0x35}};
  for (const LaneKernels* set : all_kernels()) {
    const UseKernels use(set);
    RegisterFile registers(8);
    std::memcpy(registers.row(11), a, sizeof a);
    std::memcpy(registers.row(12), b, sizeof b);
    for (const Case& c : cases) {
      const Instruction in = decode(b_type(c.f3, 11, 12, 8));
      INFO(disassemble(in, 0));
      CHECK(branch_taken(in, registers, 0xFF) == c.taken);
      CHECK(branch_taken(in, registers, 0x5A) == (c.taken & 0x5A));
    }
  }
}

TEST_CASE("branches of a 32-lane warp look at all lanes") {
  for (const LaneKernels* set : all_kernels()) {
    const UseKernels use(set);
    RegisterFile registers(32);
    for (unsigned lane = 0; lane < 32; ++lane) registers.row(11)[lane] = lane % 3;
    u32 expected = 0;
    for (unsigned lane = 0; lane < 32; lane += 3) expected |= 1u << lane;
    CHECK(branch_taken(decode(beq(11, 0, 8)), registers, ~0u) == expected);
  }
}

TEST_CASE("jumps are taken by all active lanes and other instructions by none") {
  const RegisterFile registers(8);
  CHECK(branch_taken(decode(0x010000EF), registers, 0x5A) == 0x5A);
  CHECK(branch_taken(decode(jalr(1, 11, 0)), registers, 0x5A) == 0x5A);
  CHECK(branch_taken(decode(add(1, 2, 3)), registers, 0xFF) == 0);
}

TEST_CASE("targets are relative to the branch, or to a lane's register for jalr") {
  RegisterFile registers(8);
  registers.row(11)[0] = 0x1000;
  registers.row(11)[5] = 0x2001;
  CHECK(jump_target(decode(beq(1, 2, -8)), 0x80000010, registers, 0) == 0x80000008);
  CHECK(jump_target(decode(beq(1, 2, 4094)), 0x80000010, registers, 0) == 0x8000100E);
  CHECK(jump_target(decode(0xFF1FF06F), 0x80000010, registers, 0) == 0x80000000);  // jal x0,-16
  CHECK(jump_target(decode(jalr(0, 11, -4)), 0, registers, 0) == 0xFFC);
  CHECK(jump_target(decode(jalr(0, 11, 4)), 0, registers, 5) == 0x2004);  // bit 0 is cleared
}

TEST_CASE("loads extend what the memory gives") {
  CHECK(extend_load(decode(i_type(0x03, 0, 1, 2, 0)), 0x12345680) == 0xFFFFFF80);
  CHECK(extend_load(decode(i_type(0x03, 0, 1, 2, 0)), 0x1234567F) == 0x7F);
  CHECK(extend_load(decode(i_type(0x03, 1, 1, 2, 0)), 0x12348000) == 0xFFFF8000);
  CHECK(extend_load(decode(i_type(0x03, 2, 1, 2, 0)), 0x80000001) == 0x80000001);
  CHECK(extend_load(decode(i_type(0x03, 4, 1, 2, 0)), 0x12345680) == 0x80);
  CHECK(extend_load(decode(i_type(0x03, 5, 1, 2, 0)), 0x12348000) == 0x8000);
  CHECK(extend_load(decode(flw(1, 2, 0)), 0x80000001) == 0x80000001);
  CHECK(extend_load(decode(amoadd(1, 2, 3)), 0x80000001) == 0x80000001);
}

}  // namespace spica::isa::test
