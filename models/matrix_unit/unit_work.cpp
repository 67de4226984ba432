// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/unit_work.h"

#include <algorithm>

namespace spica::matrix_unit {

namespace {

using protocol::Piece;
using Space = Piece::Space;
using Kind = Move::Kind;

/// The far side of a move: rows of all blocks, one after the other.
Piece far_side(const Move& m, const MatrixUnitParams& p) {
  const Space space = m.kind == Kind::kAccumulatorToShared ? Space::kShared : Space::kGlobal;
  const bool write = m.kind == Kind::kAccumulatorToGlobal || m.kind == Kind::kAccumulatorToShared;
  const std::uint32_t word = std::max(m.conversion.far_bytes(p.element_bytes()), 1u);
  return {space, write, m.global_address, m.far_rows(), m.far_row_bytes(), m.global_stride, 1, 0, word};
}

/// The near side: shared memory for loads of operands, else the accumulator, counted in rows.
Piece near_side(const Move& m) {
  if (m.kind == Kind::kGlobalToShared)
    return {Space::kShared, true,           m.local_address, m.rows,
            m.block_bytes,  m.local_stride, m.blocks,        m.block_stride};
  const bool write = m.kind == Kind::kGlobalToAccumulator;
  return {Space::kAccumulator, write, m.local_address, m.rows, 1, m.local_stride, m.blocks, m.block_stride};
}

Piece operand(const UnitCommand& c, const MatrixUnitParams& p) {
  if (!c.has_operand) return {};
  return {Space::kShared, false, c.operand_row * p.row_bytes(), c.rows, c.columns * p.element_bytes(),
          p.row_bytes()};
}

}  // namespace

protocol::UnitWork work_of(const UnitCommand& c, std::uint32_t id, const MatrixUnitParams& params) {
  using Work = protocol::UnitWork;
  switch (c.kind) {
    case UnitCommand::Kind::kLoad:
      return {Work::Kind::kLoad, id,     c.origin,      far_side(c.move, params),
              near_side(c.move), c.loop, c.move.stream, c.move.accumulate};
    case UnitCommand::Kind::kStore:
      return {Work::Kind::kStore,       id,     c.origin,     near_side(c.move),
              far_side(c.move, params), c.loop, c.move.stream};
    case UnitCommand::Kind::kPreload:
      return {Work::Kind::kPreload, id, c.origin, operand(c, params), {}, c.loop};
    case UnitCommand::Kind::kCompute: break;
  }
  Piece result;
  if (c.has_result) result = {Space::kAccumulator, true, c.accumulator_row, c.result_rows, 1, 1};
  return {Work::Kind::kCompute, id,          c.origin, operand(c, params), result, c.loop,
          Move::Stream::kA,     c.accumulate};
}

}  // namespace spica::matrix_unit
