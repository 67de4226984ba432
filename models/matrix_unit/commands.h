// SPDX-License-Identifier: Apache-2.0
// The commands inside a matrix unit: RoCC commands as issued by software, and unit commands, the loads, stores,
// preloads and computes derived from them.
#pragma once

#include <cstdint>

#include "models/matrix_unit/matrix_unit_regs.h"
#include "models/protocol/payload/dma_command.h"
#include "models/protocol/payload/request_info.h"

namespace spica::matrix_unit {

using protocol::Move;
using protocol::Origin;

/// A function code of matrix_unit_regs.h with its two 64-bit operands.
struct RoccCommand {
  unsigned function = 0;
  std::uint64_t rs1 = 0;
  std::uint64_t rs2 = 0;
  Origin origin{};
};

inline std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
inline std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }
inline std::uint64_t join(std::uint32_t high_half, std::uint32_t low_half) {
  return std::uint64_t{high_half} << 32 | low_half;
}

/// Rows [begin, end) of shared memory or of the accumulator that a command reads or writes.
struct RowRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool write = false;

  bool conflicts(const RowRange& other) const {
    return begin < other.end && other.begin < end && (write || other.write);
  }
};

enum class CommandClass : std::uint8_t { kLoad, kStore, kExecute };
inline constexpr unsigned kCommandClasses = 3;

/// The array's part of a preload (of B) or a compute (on A). Without an operand, a preload keeps the weights and a
/// compute multiplies zeros.
struct BlockWork {
  bool has_operand = false;
  bool flip = false;  // compute: use the weights of the last preload
  bool has_result = false;  // compute: add the block to the accumulator
  bool accumulate = false;
  std::uint16_t rows = 0;  // existing rows of the operand; the rest is zero
  std::uint16_t columns = 0;
  std::uint16_t result_rows = 0, result_columns = 0;  // rows and columns of the result that are written
  std::uint32_t operand_row = 0;  // row of shared memory
  std::uint32_t accumulator_row = 0;
  // With block_scales, in a loop. first_of_k: this is the first block along k, which has the scales; block_of_k: number
  // along k, without that block; block_across: number along the rows of A or the columns of B.
  bool first_of_k = false;
  std::uint16_t block_of_k = 0, block_across = 0;

  std::uint32_t operand_rows() const { return has_operand ? rows : 0; }
};

/// One entry of the reservation station.
struct UnitCommand : BlockWork {
  enum class Kind : std::uint8_t { kLoad, kStore, kPreload, kCompute };
  Kind kind = Kind::kLoad;
  Origin origin{};
  std::uint32_t loop = 0;  // number of its loop; 0: not part of a loop
  RowRange shared{}, accumulator{};  // rows it accesses, for hazards
  Move move{};  // loads and stores

  template <class Archive>
  void serialize(Archive& archive) {
    archive(static_cast<BlockWork&>(*this), kind, origin, loop, shared, accumulator, move);
  }

  CommandClass command_class() const {
    return kind == Kind::kLoad    ? CommandClass::kLoad
           : kind == Kind::kStore ? CommandClass::kStore
                                  : CommandClass::kExecute;
  }
  bool conflicts(const UnitCommand& other) const {
    return shared.conflicts(other.shared) || accumulator.conflicts(other.accumulator);
  }
};

/// The unit number of a word written to CSR 0xACC: bits 7:5, which the unit itself does not see (virgo
/// tile/AccNode.scala).
inline unsigned unit_of(std::uint32_t word) {
  return word >> MATRIX_UNIT_CISC_UNIT_SHIFT & MATRIX_UNIT_CISC_UNIT_MASK;
}
inline std::uint32_t without_unit(std::uint32_t word) {
  return word & ~(std::uint32_t{MATRIX_UNIT_CISC_UNIT_MASK} << MATRIX_UNIT_CISC_UNIT_SHIFT);
}

}  // namespace spica::matrix_unit
