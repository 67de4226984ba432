// SPDX-License-Identifier: Apache-2.0
#include "models/isa/csr.h"

#include <string>

#include "testbenches/support/catch.h"

namespace spica::isa {

namespace {
Instruction csr_instruction(std::uint32_t f3, std::uint32_t source) {
  return decode(csr::kFcsr << 20 | source << 15 | f3 << 12 | 10 << 7 | 0x73);
}
}  // namespace

TEST_CASE("a CSR instruction names its CSR and constant") {
  const Instruction in = decode(0xACC00073u | 21 << 15 | 5 << 12 | 10 << 7);
  CHECK(in.opcode == Opcode::kCsrrwi);
  CHECK(in.imm == 0xACC);
  CHECK(in.rs1 == kNoRegister);
  CHECK(csr_constant(in) == 21);
  CHECK(decode(0xF1402573).imm == 0xF14);  // not sign-extended
}

TEST_CASE("read-modify-write rules of the register forms") {
  const CsrOperation write = csr_operation(csr_instruction(1, 11), 0x0F, 0x35);
  CHECK(write.value == 0x35);
  CHECK(write.writes);
  const CsrOperation set = csr_operation(csr_instruction(2, 11), 0x0F, 0x35);
  CHECK(set.value == 0x3F);
  CHECK(set.writes);
  const CsrOperation clear = csr_operation(csr_instruction(3, 11), 0x0F, 0x35);
  CHECK(clear.value == 0x0A);
  CHECK(clear.writes);
}

TEST_CASE("read-modify-write rules of the immediate forms ignore the register operand") {
  CHECK(csr_operation(csr_instruction(5, 21), 0x0F, 0xFFFF).value == 21);
  CHECK(csr_operation(csr_instruction(6, 16), 0x0F, 0xFFFF).value == 0x1F);
  CHECK(csr_operation(csr_instruction(7, 3), 0x0F, 0xFFFF).value == 0x0C);
}

TEST_CASE("set and clear with a zero operand do not write, a plain write does") {
  CHECK_FALSE(csr_operation(csr_instruction(2, 0), 7, 0).writes);
  CHECK_FALSE(csr_operation(csr_instruction(2, 11), 7, 0).writes);
  CHECK_FALSE(csr_operation(csr_instruction(3, 11), 7, 0).writes);
  CHECK_FALSE(csr_operation(csr_instruction(6, 0), 7, 1).writes);
  CHECK_FALSE(csr_operation(csr_instruction(7, 0), 7, 1).writes);
  CHECK(csr_operation(csr_instruction(1, 0), 7, 0).writes);
  CHECK(csr_operation(csr_instruction(5, 0), 7, 1).writes);
  CHECK(csr_operation(csr_instruction(5, 0), 7, 1).value == 0);
}

TEST_CASE("only the floating-point state and the accelerator command are writable") {
  unsigned writable = 0;
  for (std::uint32_t number = 0; number < 4096; ++number) writable += csr::writable(number);
  CHECK(writable == 4);
  CHECK(csr::writable(csr::kFflags));
  CHECK(csr::writable(csr::kFrm));
  CHECK(csr::writable(csr::kFcsr));
  CHECK(csr::writable(csr::kAccelerator));
}

TEST_CASE("known CSRs have names") {
  CHECK(csr::name(csr::kHartId) == std::string("mhartid"));
  CHECK(csr::name(csr::kAccelerator) == std::string("accelerator"));
  CHECK(csr::name(0x7C0) == nullptr);
}

TEST_CASE("misa says RV32 with A, F, I, M, user mode and own extensions") {
  CHECK(csr::kMisaValue == 0x40901121);
}

}  // namespace spica::isa
