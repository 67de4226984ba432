// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/matrix_unit/accumulator.h"
#include "models/matrix_unit/commands.h"
#include "models/protocol/request_info.h"

namespace spica::matrix_unit {

/// The operands that stores to the MMIO block latch.
class OperandRegisters {
 public:
  /// False: nothing can be written at `offset`, or it is the register that launches a command.
  bool write(std::uint32_t offset, std::uint32_t value) {
    switch (offset) {
      case MATRIX_UNIT_RS1_LO: rs1_ = join(high(rs1_), value); return true;
      case MATRIX_UNIT_RS1_HI: rs1_ = join(value, low(rs1_)); return true;
      case MATRIX_UNIT_RS2_LO: rs2_ = join(high(rs2_), value); return true;
      case MATRIX_UNIT_RS2_HI: rs2_ = join(value, low(rs2_)); return true;
      default: return false;
    }
  }
  /// The command that a store of `value` to MATRIX_UNIT_INSTRUCTION launches.
  RoccCommand command(std::uint32_t value, const Origin& origin) const {
    return {value >> MATRIX_UNIT_FUNCTION_SHIFT & MATRIX_UNIT_FUNCTION_MASK, rs1_, rs2_, origin};
  }
  void reset() { rs1_ = rs2_ = 0; }

 private:
  std::uint64_t rs1_ = 0, rs2_ = 0;
};

/// Moves one accumulator row for the DMA and sets the response status. The DmaCommand it belongs to, if any, says
/// whether it is FP16 and whether it is added.
void access_row(protocol::Payload& payload, Accumulator& sums, const MatrixUnitParams& params);

}  // namespace spica::matrix_unit
