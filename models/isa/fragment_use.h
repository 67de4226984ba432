// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/isa/instruction.h"
#include "models/isa/mma_form.h"

namespace spica::isa {

/// The form of an instruction that multiplies or moves fragments: a number of kMmaForms, or a reserved one.
inline unsigned form_of(const Instruction& instruction) {
  const std::int32_t imm = instruction.imm;
  return static_cast<unsigned>(instruction.multiplies_fragments() ? imm : imm & (kColumnMajorBit - 1));
}

/// The fragments that an instruction reads and writes, one bit each.
struct FragmentUse {
  std::uint32_t reads = 0, writes = 0;
};
inline FragmentUse fragments_of(const Instruction& instruction) {
  const auto bit = [](unsigned fragment) { return std::uint32_t{1} << fragment; };
  const std::uint32_t word = instruction.word, d = bit(fragment_d(word));
  switch (instruction.opcode) {
    case Opcode::kWmma32Mma:
    case Opcode::kWmma32MmaNarrow:
      return {bit(fragment_a(word)) | bit(fragment_b(word)) | bit(fragment_c(word)), d};
    case Opcode::kWmma32Store: return {d, 0};
    case Opcode::kWmma32Get: return {bit(fragment_b(word)), 0};
    case Opcode::kWmma32Set: return {d, d};  // its other registers are kept
    default: return {0, d};
  }
}

}  // namespace spica::isa
