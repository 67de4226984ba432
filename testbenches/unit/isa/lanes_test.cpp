// SPDX-License-Identifier: Apache-2.0
// What holds for every instruction whatever it computes.
#include <random>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "testbenches/unit/isa/one_instruction.h"

namespace spica::isa::test {

namespace {

/// One word of each instruction, operands x10/f10, x11/f11, ... and the dynamic rounding mode.
std::vector<u32> one_of_each() {
  std::vector<u32> words;
  constexpr u32 kFields = 13u << 27 | 12 << 20 | 11 << 15 | 7 << 12 | 10 << 7;
#define SPICA_INSTRUCTION(name, mnemonic, format, match, mask, unit, kernel) \
  words.push_back(match | (kFields & ~static_cast<u32>(mask)));
#include "models/isa/instructions.def"
#undef SPICA_INSTRUCTION
  return words;
}

/// execute() does work for it, and the result depends on registers.
bool executes(const Instruction& in) {
  switch (in.unit) {
    case Unit::kAlu:
    case Unit::kMul:
    case Unit::kDiv:
    case Unit::kFpuFma:
    case Unit::kFpuMisc:
    case Unit::kFpuConvert:
    case Unit::kFpuDivide:
    case Unit::kFpuSqrt: return true;
    default: return false;
  }
}

u32 random_value(std::mt19937& random) {
  constexpr u32 kSpecial[] = {0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001,
                              1, 0x00800000, 0x7F7FFFFF, 0x3F800000, 0xFFFFFFFF, 0x7FFFFFFF};
  const auto value = static_cast<u32>(random());
  return value % 4 == 0 ? kSpecial[(value >> 8) % 12] : value;
}

void fill(RegisterFile& registers, std::mt19937& random) {
  for (unsigned row = 1; row < kRegisterRows; ++row)
    for (unsigned lane = 0; lane < registers.lanes(); ++lane) registers.row(row)[lane] = random_value(random);
}

}  // namespace

TEST_CASE("lanes do not influence each other, whatever the mask, the width and the kernels") {
  std::mt19937 random(3);
  for (const u32 word : one_of_each()) {
    const Instruction in = decode(word);
    for (const unsigned lanes : {1u, 4u, 8u, 12u, 16u, 32u}) {
      const u32 all = lanes == 32 ? ~0u : (1u << lanes) - 1;
      for (const u32 mask : {all, all & 0xA5A5A5A5u, all & 0x00FF0000u, all & 0x80000001u, 0u}) {
        RegisterFile before(lanes);
        fill(before, random);
        const auto frm = static_cast<std::uint8_t>(random() % 5);
        const auto accrued = static_cast<std::uint8_t>(random() % 2);

        // Each active lane alone, by the baseline kernels.
        RegisterFile expected = before;
        FloatState expected_state{frm, accrued};
        for (unsigned lane = 0; lane < lanes; ++lane) {
          if ((mask >> lane & 1) == 0) continue;
          RegisterFile one(1);
          for (unsigned row = 0; row < kRegisterRows; ++row) one.row(row)[0] = before.row(row)[lane];
          const UseKernels use(&baseline::kLaneKernels);
          execute(in, 0x1000, one, 1, expected_state);
          for (unsigned row = 0; row < kRegisterRows; ++row) expected.row(row)[lane] = one.row(row)[0];
        }
        for (const LaneKernels* set : all_kernels()) {
          const UseKernels use(set);
          RegisterFile registers = before;
          FloatState state{frm, accrued};
          execute(in, 0x1000, registers, mask, state);
          INFO(disassemble(in, 0x1000) << " lanes " << lanes << " mask " << std::hex << mask);
          REQUIRE(state.fflags == expected_state.fflags);
          REQUIRE(state.frm == frm);
          for (unsigned row = 0; row < kRegisterRows; ++row)
            REQUIRE(std::memcmp(registers.row(row), expected.row(row), 4 * registers.stride()) == 0);
        }
      }
    }
  }
}

TEST_CASE("a destination that is also a source is read before it is written") {
  std::mt19937 random(4);
  for (u32 word : one_of_each()) {
    const Instruction apart = decode(word);
    if (!executes(apart)) continue;
    const Instruction same = decode((word & ~(31u << 7)) | 11 << 7);  // rd = rs1
    for (const LaneKernels* set : all_kernels()) {
      const UseKernels use(set);
      RegisterFile a(8);
      fill(a, random);
      RegisterFile b = a;
      FloatState state_a, state_b;
      execute(apart, 0, a, 0xFF, state_a);
      execute(same, 0, b, 0xFF, state_b);
      INFO(disassemble(same, 0));
      CHECK(std::memcmp(a.row(apart.rd), b.row(same.rd), 32) == 0);
      CHECK(state_a.fflags == state_b.fflags);
    }
  }
}

TEST_CASE("memory, control and system instructions leave the registers to their units") {
  std::mt19937 random(9);
  for (const u32 word : one_of_each()) {
    const Instruction in = decode(word);
    if (executes(in) || in.opcode == Opcode::kJal || in.opcode == Opcode::kJalr) continue;
    for (const LaneKernels* set : all_kernels()) {
      const UseKernels use(set);
      RegisterFile registers(8);
      fill(registers, random);
      const RegisterFile before = registers;
      FloatState state;
      execute(in, 0, registers, 0xFF, state);
      INFO(disassemble(in, 0));
      CHECK(std::memcmp(registers.row(0), before.row(0), 4 * kRegisterRows * 8) == 0);
    }
  }
}

TEST_CASE("nothing writes x0 or the padding behind the last lane") {
  std::mt19937 random(5);
  for (u32 word : one_of_each()) {
    for (const u32 rd : {0u, 10u}) {
      const Instruction in = decode((word & ~(31u << 7)) | rd << 7);
      if (in.opcode == Opcode::kIllegal) continue;
      for (const LaneKernels* set : all_kernels()) {
        const UseKernels use(set);
        RegisterFile registers(5);
        fill(registers, random);
        FloatState state;
        execute(in, 0x80000000, registers, 0x1F, state);
        INFO(disassemble(in, 0));
        for (unsigned lane = 0; lane < 8; ++lane) REQUIRE(registers.row(0)[lane] == 0);
        for (unsigned row = 0; row < kRegisterRows; ++row)
          for (unsigned lane = 5; lane < 8; ++lane) REQUIRE(registers.row(row)[lane] == 0);
      }
    }
  }
}

TEST_CASE("rows are aligned for vectors and clear() zeroes them") {
  for (const unsigned lanes : {1u, 8u, 9u, 32u}) {
    RegisterFile registers(lanes);
    CHECK(registers.stride() == (lanes + 7) / 8 * 8);
    for (unsigned row = 0; row < kRegisterRows; ++row) {
      CHECK(reinterpret_cast<std::uintptr_t>(registers.row(row)) % 32 == 0);
      CHECK(registers.row(row) == registers.row(0) + row * registers.stride());
      registers.row(row)[lanes - 1] = row + 1;
    }
    registers.clear();
    for (unsigned row = 0; row < kRegisterRows; ++row) CHECK(registers.row(row)[lanes - 1] == 0);
  }
}

#if defined(__SSE2__)
TEST_CASE("the host's rounding mode is restored and its old exceptions do not leak into a warp") {
  std::mt19937 random(6);
  const unsigned before = _mm_getcsr();
  for (const LaneKernels* set : all_kernels()) {
    const UseKernels use(set);
    for (const u32 word : one_of_each()) {
      for (unsigned frm = 0; frm < 5; ++frm) {
        RegisterFile registers(8);
        for (unsigned row = 32; row < kRegisterRows; ++row)
          for (unsigned lane = 0; lane < 8; ++lane) registers.row(row)[lane] = bits(1.0f);
        FloatState state;
        state.frm = static_cast<std::uint8_t>(frm);
        _mm_setcsr(0x1FBF);  // every exception already sticky in the host
        execute(decode(word), 0, registers, 0xFF, state);
        const unsigned after = _mm_getcsr();
        _mm_setcsr(before);
        INFO(disassemble(decode(word), 0) << " frm " << frm);
        CHECK((after & 0xFFC0) == 0x1F80);
        CHECK(state.fflags == 0);  // operations on 1 and 0 are exact
      }
    }
  }
}
#endif

}  // namespace spica::isa::test
