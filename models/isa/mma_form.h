// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/numeric/block_format.h"

namespace spica::isa {

/// The shape and formats of a warp-wide matrix multiply-add: D(m x n) = A(m x k) * B(k x n) + C(m x n).
struct MmaForm {
  std::uint8_t m, n, k;
  numeric::Format operand, accumulate;
  bool a_column_major, b_column_major;  // layout when the fragments were loaded, if it affects them (Volta)
  numeric::ScaleFormat scale = numeric::ScaleFormat::kNone;  // of blocks of A and B along k
};

/// The forms by their number. In the instruction word: funct3 - 2 (modulo 8), then funct2; of opcode 0x2B, from
/// kFirstNarrowForm on, funct3, then funct2.
///
/// Narrow floating-point operands have no loads and stores of their own: fragments of 8 and 4 bits lie as those of
/// integers of the same width and shape, accumulators as those of FP16 operands.
///
/// Block scales lie in register kScaleRegister of the fragment of their operand: lane i has those of row i of A, or column
/// i of B, a byte for each block along k, the first one lowest. Instructions that set a register write them.
inline constexpr MmaForm kMmaForms[] = {
    {16, 16, 16, numeric::Format::kFp16, numeric::Format::kFp32, false, false},
    {16, 16, 16, numeric::Format::kFp16, numeric::Format::kFp32, true, false},
    {16, 16, 16, numeric::Format::kFp16, numeric::Format::kFp32, false, true},
    {16, 16, 16, numeric::Format::kFp16, numeric::Format::kFp32, true, true},
    {16, 16, 16, numeric::Format::kFp16, numeric::Format::kFp16, false, false},
    {16, 16, 16, numeric::Format::kFp16, numeric::Format::kFp16, true, false},
    {16, 16, 16, numeric::Format::kFp16, numeric::Format::kFp16, false, true},
    {16, 16, 16, numeric::Format::kFp16, numeric::Format::kFp16, true, true},
    {32, 8, 16, numeric::Format::kFp16, numeric::Format::kFp32, false, true},
    {8, 32, 16, numeric::Format::kFp16, numeric::Format::kFp32, false, true},
    {32, 8, 16, numeric::Format::kFp16, numeric::Format::kFp16, false, true},
    {8, 32, 16, numeric::Format::kFp16, numeric::Format::kFp16, false, true},
    {16, 16, 16, numeric::Format::kInt8, numeric::Format::kInt32, false, true},
    {16, 16, 16, numeric::Format::kUint8, numeric::Format::kInt32, false, true},
    {8, 8, 32, numeric::Format::kInt4, numeric::Format::kInt32, false, true},
    {8, 8, 32, numeric::Format::kUint4, numeric::Format::kInt32, false, true},
    {32, 8, 16, numeric::Format::kInt8, numeric::Format::kInt32, false, true},
    {32, 8, 16, numeric::Format::kUint8, numeric::Format::kInt32, false, true},
    {8, 32, 16, numeric::Format::kInt8, numeric::Format::kInt32, false, true},
    {8, 32, 16, numeric::Format::kUint8, numeric::Format::kInt32, false, true},
    {16, 8, 16, numeric::Format::kFp16, numeric::Format::kFp32, false, true},
    {16, 8, 16, numeric::Format::kFp16, numeric::Format::kFp16, false, true},
    {16, 8, 8, numeric::Format::kFp16, numeric::Format::kFp32, false, true},
    {16, 8, 8, numeric::Format::kFp16, numeric::Format::kFp16, false, true},
    {16, 16, 16, numeric::Format::kBf16, numeric::Format::kFp32, false, true},
    {16, 16, 8, numeric::Format::kTf32, numeric::Format::kFp32, false, true},
    {16, 16, 32, numeric::Format::kInt8, numeric::Format::kInt32, false, true},
    {16, 16, 32, numeric::Format::kUint8, numeric::Format::kInt32, false, true},
    {16, 16, 64, numeric::Format::kInt4, numeric::Format::kInt32, false, true},
    {16, 16, 64, numeric::Format::kUint4, numeric::Format::kInt32, false, true},
    {16, 8, 16, numeric::Format::kBf16, numeric::Format::kFp32, false, true},
    {16, 8, 8, numeric::Format::kTf32, numeric::Format::kFp32, false, true},
    {16, 16, 32, numeric::Format::kE4m3, numeric::Format::kFp32, false, true},
    {16, 16, 32, numeric::Format::kE4m3, numeric::Format::kFp16, false, true},
    {16, 16, 32, numeric::Format::kE5m2, numeric::Format::kFp32, false, true},
    {16, 16, 32, numeric::Format::kE5m2, numeric::Format::kFp16, false, true},
    {16, 16, 32, numeric::Format::kE3m2, numeric::Format::kFp32, false, true},
    {16, 16, 32, numeric::Format::kE3m2, numeric::Format::kFp16, false, true},
    {16, 16, 32, numeric::Format::kE2m3, numeric::Format::kFp32, false, true},
    {16, 16, 32, numeric::Format::kE2m3, numeric::Format::kFp16, false, true},
    {16, 16, 64, numeric::Format::kE2m1, numeric::Format::kFp32, false, true},
    {16, 16, 64, numeric::Format::kE2m1, numeric::Format::kFp16, false, true},
    {16, 16, 32, numeric::Format::kE4m3, numeric::Format::kFp32, false, true, numeric::ScaleFormat::kE8m0},
    {16, 16, 32, numeric::Format::kE5m2, numeric::Format::kFp32, false, true, numeric::ScaleFormat::kE8m0},
    {16, 16, 32, numeric::Format::kE3m2, numeric::Format::kFp32, false, true, numeric::ScaleFormat::kE8m0},
    {16, 16, 32, numeric::Format::kE2m3, numeric::Format::kFp32, false, true, numeric::ScaleFormat::kE8m0},
    {16, 16, 64, numeric::Format::kE2m1, numeric::Format::kFp32, false, true, numeric::ScaleFormat::kE8m0},
    {16, 16, 64, numeric::Format::kE2m1, numeric::Format::kFp32, false, true, numeric::ScaleFormat::kUe4m3},
};
inline constexpr unsigned kFirstNarrowForm = 32;
inline constexpr unsigned kScaleRegister = 4;
inline constexpr unsigned kMmaFormCount = sizeof kMmaForms / sizeof kMmaForms[0];

/// nullptr: the number is reserved.
constexpr const MmaForm* mma_form(unsigned number) {
  return number < kMmaFormCount ? &kMmaForms[number] : nullptr;
}
/// "m16n16k16"
inline std::string shape_name(const MmaForm& form) {
  return "m" + std::to_string(form.m) + "n" + std::to_string(form.n) + "k" + std::to_string(form.k);
}

/// Fragments of a warp: 32 slots of 8 registers, of kMaxLanes words each.
inline constexpr unsigned kFragmentSlots = 32, kFragmentRegisters = 8;

/// Fields of the wmma32 instructions (instruction.h, Format). `imm` of wmma32.mma: the form. `imm` of loads and stores:
/// a form below kFirstNarrowForm, plus 32 if the matrix is column-major in memory; for loads of A and B plus 64 if other
/// warps load the same matrix (.m). `imm` of get and set: the number of the register.
constexpr unsigned fragment_d(std::uint32_t word) { return word >> 7 & 31; }
constexpr unsigned fragment_a(std::uint32_t word) { return word >> 15 & 31; }
constexpr unsigned fragment_b(std::uint32_t word) { return word >> 20 & 31; }
constexpr unsigned fragment_c(std::uint32_t word) { return word >> 27; }
inline constexpr std::int32_t kColumnMajorBit = 32, kMulticastBit = 64;
constexpr bool is_column_major(std::int32_t imm) { return (imm & kColumnMajorBit) != 0; }
constexpr bool is_multicast(std::int32_t imm) { return (imm & kMulticastBit) != 0; }

}  // namespace spica::isa
