// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/loop_commands.h"

namespace spica::matrix_unit {

using Kind = UnitCommand::Kind;

LoopCommands::LoopCommands(const MatrixUnitParams& p, const TransferRegisters& transfers)
    : dim_(static_cast<std::uint32_t>(p.dim)),
      element_(p.element_bytes()),
      row_bytes_(p.row_bytes()),
      blocks_(p.transfer_blocks()),
      accumulator_blocks_(p.accumulator_transfer_blocks()),
      accumulator_rows_(p.accumulator_rows()),
      narrow_(p.narrow()),
      transfers_(transfers) {}

/// Adjacent blocks of C that one command may move: one if a row of blocks wraps around the end of the accumulator.
std::uint32_t LoopCommands::side_by_side(const LoopRegisters& r, std::uint32_t most) const {
  const std::uint32_t to_end = (accumulator_rows_ - r.sums_start) / dim_;
  const bool torn = r.bound.i * r.bound.j > to_end && to_end % r.bound.j != 0;
  return torn ? 1 : most;
}

namespace {

void begin(UnitCommand& out, const LoopRegisters& r, Kind kind) {
  out = UnitCommand{};
  out.kind = kind;
  out.origin = r.origin;
  out.loop = r.number;
}

void set_size(Move& move, std::uint32_t rows, std::uint32_t blocks, std::uint32_t block_bytes) {
  move.rows = static_cast<std::uint16_t>(rows);
  move.blocks = static_cast<std::uint16_t>(blocks);
  move.block_bytes = static_cast<std::uint16_t>(block_bytes);
}

void set_place(UnitCommand& out, std::uint32_t k, std::uint32_t across) {
  out.first_of_k = k == 0;
  out.block_of_k = static_cast<std::uint16_t>(k == 0 ? 0 : k - 1);
  out.block_across = static_cast<std::uint16_t>(across);
}

}  // namespace

/// With the size in `out.move`, to shared-memory row `row`.
void LoopCommands::shared_load(Move::Stream stream, std::uint32_t row, const TransferRegisters::Load& state,
                               UnitCommand& out) const {
  Move& m = out.move;
  out.shared = {row, row + (m.blocks - 1u) * state.block_stride + m.rows, true};
  m.kind = Move::Kind::kGlobalToShared;
  m.stream = stream;
  m.global_stride = state.stride;
  m.local_address = row * row_bytes_;
  m.local_stride = row_bytes_;
  m.block_stride = state.block_stride * row_bytes_;
  m.transposed_word = state.word(element_);
  m.conversion = state.conversion;
}

/// The start of block `x` of block row `y`, with `stride` words between rows; for a transposed matrix, the mirrored
/// block.
std::uint32_t LoopCommands::block_at(const TransferRegisters::Load& state, std::uint32_t y, std::uint32_t x,
                                     std::uint32_t stride) const {
  const std::uint32_t words = (state.transpose ? x * stride + y : y * stride + x) * dim_;
  return state.conversion.far_bytes(words * element_);
}

void LoopCommands::load_a(const LoopRegisters& r, std::uint32_t i, std::uint32_t k, UnitCommand& out) const {
  begin(out, r, Kind::kLoad);
  out.move.global_address = r.address_a + block_at(transfers_.load[0], i, k, r.stride_a);
  set_size(out.move, extent(i, r.bound.i, r.pad.i), width_a(r, k), extent(k, r.bound.k, r.pad.k) * element_);
  shared_load(Move::Stream::kA, row_a(r, i, k), transfers_.load[0], out);
}

void LoopCommands::load_b(const LoopRegisters& r, std::uint32_t k, std::uint32_t j, UnitCommand& out) const {
  begin(out, r, Kind::kLoad);
  out.move.global_address = r.address_b + block_at(transfers_.load[1], k, j, r.stride_b);
  set_size(out.move, extent(k, r.bound.k, r.pad.k), width_b(r, j), extent(j, r.bound.j, r.pad.j) * element_);
  shared_load(Move::Stream::kB, row_b(r, k, j), transfers_.load[1], out);
}

void LoopCommands::load_d(const LoopRegisters& r, std::uint32_t i, std::uint32_t j, UnitCommand& out) const {
  // The loop steps through D in elements of the size in LOOP_WS; their width in memory is set in load state 2. Software
  // sets both consistently.
  const std::uint32_t step = r.low_d ? element_ : 4;
  const std::uint32_t row = row_c(r, i, j), blocks = width_d(r, j);
  begin(out, r, Kind::kLoad);
  out.accumulator = {row, row + blocks * dim_, true};
  Move& m = out.move;
  m.kind = Move::Kind::kGlobalToAccumulator;
  m.stream = Move::Stream::kD;
  m.global_address = r.address_d + (i * r.stride_d + j) * dim_ * step;
  m.global_stride = transfers_.load[2].stride;
  m.local_address = row;
  m.local_stride = 1;
  m.block_stride = dim_;
  m.narrow = narrow_d();
  set_size(m, extent(i, r.bound.i, r.pad.i), blocks,
           extent(j, r.bound.j, r.pad.j) * (m.narrow ? element_ : 4));
}

void LoopCommands::preload(const LoopRegisters& r, std::uint32_t i, std::uint32_t j, std::uint32_t k,
                           UnitCommand& out) const {
  begin(out, r, Kind::kPreload);
  out.has_operand = i == 0;
  set_place(out, k, j);
  if (!out.has_operand) return;
  out.operand_row = row_b(r, k, j);
  out.rows = static_cast<std::uint16_t>(extent(k, r.bound.k, r.pad.k));
  out.columns = static_cast<std::uint16_t>(extent(j, r.bound.j, r.pad.j));
  out.shared = {out.operand_row, out.operand_row + out.rows, false};
}

void LoopCommands::compute(const LoopRegisters& r, std::uint32_t i, std::uint32_t j, std::uint32_t k,
                           UnitCommand& out) const {
  begin(out, r, Kind::kCompute);
  out.has_operand = true;
  set_place(out, k, i);
  out.flip = i == 0;
  out.operand_row = row_a(r, i, k);
  out.rows = static_cast<std::uint16_t>(extent(i, r.bound.i, r.pad.i));
  out.columns = static_cast<std::uint16_t>(extent(k, r.bound.k, r.pad.k));
  out.shared = {out.operand_row, out.operand_row + out.rows, false};
  out.has_result = true;
  out.accumulate = k != 0 || r.accumulate;
  out.accumulator_row = row_c(r, i, j);
  out.result_rows = out.rows;
  out.result_columns = static_cast<std::uint16_t>(extent(j, r.bound.j, r.pad.j));
  out.accumulator = {out.accumulator_row, out.accumulator_row + dim_, true};
}

void LoopCommands::store(const LoopRegisters& r, std::uint32_t i, std::uint32_t j, UnitCommand& out) const {
  const std::uint32_t row = row_c(r, i, j), blocks = width_c(r, j), rows = extent(i, r.bound.i, r.pad.i);
  begin(out, r, Kind::kStore);
  out.accumulator = {row, row + blocks * dim_, false};
  Move& m = out.move;
  m.stream = Move::Stream::kC;
  if (r.store_shared) {
    const std::uint32_t to = r.store_row + (i * r.bound.j + j) * dim_;
    out.shared = {to, to + rows, true};
    m.kind = Move::Kind::kAccumulatorToShared;
    m.global_address = to * row_bytes_;
    m.global_stride = row_bytes_;
  } else {
    m.kind = Move::Kind::kAccumulatorToGlobal;
    m.global_address = r.address_c + (i * r.stride_c + j) * dim_ * element_;
    m.global_stride = transfers_.store_stride;
  }
  m.local_address = row;
  m.local_stride = 1;
  m.block_stride = dim_;
  // Units with narrow results always round: reading the accumulator in full width is off (virgo
  // subsystem/Configs.scala).
  m.narrow = narrow_;
  set_size(m, rows, blocks, extent(j, r.bound.j, r.pad.j) * element_);
}

}  // namespace spica::matrix_unit
