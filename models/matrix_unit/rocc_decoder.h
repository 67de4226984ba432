// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include "models/matrix_unit/commands.h"
#include "models/matrix_unit/matrix_unit_params.h"
#include "models/matrix_unit/transfer_registers.h"

namespace spica::matrix_unit {

/// Decodes the RoCC commands outside loops: configuration, mvin, mvout, preload, compute, flush.
class RoccDecoder {
 public:
  /// The result for one RoCC command: up to two unit commands (a load whose last block is narrower is split).
  struct Result {
    std::string wrong;  // error in the command; empty: none
    unsigned count = 0;
    std::array<UnitCommand, 2> commands{};
  };

  RoccDecoder(const MatrixUnitParams& params, TransferRegisters& transfers);

  Result decode(const RoccCommand& command);
  void reset() { result_ = {}; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(result_);
  }

 private:
  struct Local {
    std::uint32_t row, rows, columns;
    bool accumulator, accumulate, full_width, garbage;
  };
  Local local(std::uint64_t operand) const;
  std::string configure(const RoccCommand& command);
  std::string configure_load(const RoccCommand& command);
  std::string conversion(std::uint32_t formats, std::uint32_t scale, protocol::Conversion& out) const;
  static std::string reshaped(const Local& at, std::uint32_t blocks,
                              const TransferRegisters::Load& registers);
  std::string load(const RoccCommand& command, unsigned state, Result& out);
  std::string store(const RoccCommand& command, Result& out);
  std::string store_shared(const RoccCommand& command, Result& out);
  std::string preload(const RoccCommand& command, Result& out);
  std::string compute(const RoccCommand& command, bool flip, Result& out);
  /// Calls `add(first, count, columns)` for the full blocks of a row of `columns`, and for the remainder.
  template <class Add>
  void in_blocks(std::uint32_t columns, Add&& add) const {
    const std::uint32_t whole = columns / dim_;
    if (whole != 0) add(0u, whole, dim_);
    if (columns % dim_ != 0) add(whole, 1u, columns % dim_);
  }
  std::string outside(const Local& at, std::uint32_t blocks, std::uint32_t block_stride) const;

  const std::uint32_t dim_, element_, row_bytes_, blocks_, accumulator_blocks_, shared_rows_,
      accumulator_rows_;
  const bool narrow_, scales_, transposes_;
  TransferRegisters& transfers_;
  /// The destination of the next compute, set by a preload.
  struct Target {
    bool valid = false, accumulate = false;
    std::uint32_t row = 0, rows = 0, columns = 0;  // rows, columns 0: not set
  } result_;
};

}  // namespace spica::matrix_unit
