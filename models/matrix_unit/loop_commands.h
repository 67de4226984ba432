// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/matrix_unit/commands.h"
#include "models/matrix_unit/loop_registers.h"
#include "models/matrix_unit/transfer_registers.h"

namespace spica::matrix_unit {

/// The commands of a loop, block by block: C(i,j) += A(i,k) * B(k,j) on tiles of I x J x K blocks. The LoopUnroller
/// selects their order.
///
/// Shared memory  A by rows of blocks from its first row on, B by rows of blocks up to its last row
/// Accumulator    C by rows of blocks; it wraps around
/// Padding        the last blocks of a row or column have fewer rows or columns; each is moved separately
class LoopCommands {
 public:
  LoopCommands(const MatrixUnitParams& params, const TransferRegisters& transfers);

  // Adjacent blocks moved by one transfer, from block k of A, or block j of the others, on.
  std::uint32_t width_a(const LoopRegisters& r, std::uint32_t k) const {
    return width(k, r.bound.k, r.pad.k, transfers_.load[0].transpose ? 1 : blocks_);
  }
  std::uint32_t width_b(const LoopRegisters& r, std::uint32_t j) const {
    return width(j, r.bound.j, r.pad.j, transfers_.load[1].transpose ? 1 : blocks_);
  }
  std::uint32_t width_d(const LoopRegisters& r, std::uint32_t j) const {
    return width(j, r.bound.j, r.pad.j, side_by_side(r, narrow_d() ? blocks_ : accumulator_blocks_));
  }
  std::uint32_t width_c(const LoopRegisters& r, std::uint32_t j) const {
    return width(j, r.bound.j, r.pad.j, r.store_shared ? 1 : side_by_side(r, blocks_));
  }

  void load_a(const LoopRegisters& r, std::uint32_t i, std::uint32_t k, UnitCommand& out) const;
  void load_b(const LoopRegisters& r, std::uint32_t k, std::uint32_t j, UnitCommand& out) const;
  void load_d(const LoopRegisters& r, std::uint32_t i, std::uint32_t j, UnitCommand& out) const;
  /// The preload before a compute; only the one for i == 0 moves weights.
  void preload(const LoopRegisters& r, std::uint32_t i, std::uint32_t j, std::uint32_t k,
               UnitCommand& out) const;
  void compute(const LoopRegisters& r, std::uint32_t i, std::uint32_t j, std::uint32_t k,
               UnitCommand& out) const;
  void store(const LoopRegisters& r, std::uint32_t i, std::uint32_t j, UnitCommand& out) const;

 private:
  static std::uint32_t width(std::uint32_t at, std::uint32_t bound, std::uint32_t pad, std::uint32_t most) {
    const std::uint32_t left = bound - at - (pad != 0 && at + 1 < bound ? 1 : 0);
    return left < most ? left : most;
  }
  /// Rows (or columns) of block `at`.
  std::uint32_t extent(std::uint32_t at, std::uint32_t bound, std::uint32_t pad) const {
    return dim_ - (at + 1 == bound ? pad : 0);
  }
  std::uint32_t row_a(const LoopRegisters& r, std::uint32_t i, std::uint32_t k) const {
    return r.tile_a + (i * r.bound.k + k) * dim_;
  }
  std::uint32_t row_b(const LoopRegisters& r, std::uint32_t k, std::uint32_t j) const {
    return r.tile_b_end - r.bound.k * r.bound.j * dim_ + (k * r.bound.j + j) * dim_;
  }
  std::uint32_t row_c(const LoopRegisters& r, std::uint32_t i, std::uint32_t j) const {
    const std::uint32_t row = r.sums_start + (i * r.bound.j + j) * dim_;
    return row < accumulator_rows_ ? row : row - accumulator_rows_;
  }
  std::uint32_t side_by_side(const LoopRegisters& r, std::uint32_t most) const;
  bool narrow_d() const { return narrow_ && transfers_.load[2].shrink; }
  std::uint32_t block_at(const TransferRegisters::Load& state, std::uint32_t y, std::uint32_t x,
                         std::uint32_t stride) const;
  void shared_load(Move::Stream stream, std::uint32_t row, const TransferRegisters::Load& state,
                   UnitCommand& out) const;

  const std::uint32_t dim_, element_, row_bytes_, blocks_, accumulator_blocks_, accumulator_rows_;
  const bool narrow_;
  const TransferRegisters& transfers_;
};

}  // namespace spica::matrix_unit
