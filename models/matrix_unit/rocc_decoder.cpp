// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/rocc_decoder.h"

#include <fmt/format.h>

namespace spica::matrix_unit {

using Kind = UnitCommand::Kind;
using Dma = protocol::DmaCommand;

RoccDecoder::RoccDecoder(const MatrixUnitParams& p, TransferRegisters& transfers)
    : dim_(static_cast<std::uint32_t>(p.dim)),
      element_(p.element_bytes()),
      row_bytes_(p.row_bytes()),
      blocks_(p.transfer_blocks()),
      accumulator_blocks_(p.accumulator_transfer_blocks()),
      shared_rows_(p.shared_rows()),
      accumulator_rows_(p.accumulator_rows()),
      narrow_(p.narrow()),
      scales_(p.dma_scales),
      transposes_(p.dma_transposes),
      transfers_(transfers) {}

RoccDecoder::Local RoccDecoder::local(std::uint64_t operand) const {
  const std::uint32_t address = low(operand);
  constexpr std::uint32_t kFlags =
      MATRIX_UNIT_LOCAL_ACCUMULATOR | MATRIX_UNIT_LOCAL_ACCUMULATE | MATRIX_UNIT_LOCAL_FULL_WIDTH;
  Local l{};
  l.garbage = address == MATRIX_UNIT_LOCAL_GARBAGE;
  l.accumulator = (address & MATRIX_UNIT_LOCAL_ACCUMULATOR) != 0;
  l.accumulate = l.accumulator && (address & MATRIX_UNIT_LOCAL_ACCUMULATE) != 0;
  l.full_width = l.accumulator && (address & MATRIX_UNIT_LOCAL_FULL_WIDTH) != 0;
  l.row = l.accumulator ? address & ~kFlags : address;
  l.columns = high(operand) >> MATRIX_UNIT_COLUMNS_HI_SHIFT & MATRIX_UNIT_EXTENT_MASK;
  l.rows = high(operand) >> MATRIX_UNIT_ROWS_HI_SHIFT & MATRIX_UNIT_EXTENT_MASK;
  return l;
}

/// Empty when the blocks of `at` lie inside their memory.
std::string RoccDecoder::outside(const Local& at, std::uint32_t blocks, std::uint32_t block_stride) const {
  if (at.rows == 0 || at.columns == 0 || at.rows > dim_)
    return fmt::format("{} rows of {} columns; rows must be 1 to {}", at.rows, at.columns, dim_);
  const std::uint64_t end = std::uint64_t{at.row} + std::uint64_t{blocks - 1} * block_stride + at.rows;
  const std::uint32_t rows = at.accumulator ? accumulator_rows_ : shared_rows_;
  if (end > rows)
    return fmt::format("rows {}..{} lie outside the {} ({} rows)", at.row, end - 1,
                       at.accumulator ? "accumulator" : "shared memory", rows);
  return {};
}

RoccDecoder::Result RoccDecoder::decode(const RoccCommand& command) {
  Result out;
  switch (command.function) {
    case MATRIX_UNIT_CONFIG: out.wrong = configure(command); break;
    case MATRIX_UNIT_MVIN: out.wrong = load(command, 0, out); break;
    case MATRIX_UNIT_MVIN2: out.wrong = load(command, 1, out); break;
    case MATRIX_UNIT_MVIN3: out.wrong = load(command, 2, out); break;
    case MATRIX_UNIT_MVOUT: out.wrong = store(command, out); break;
    case MATRIX_UNIT_MVOUT_SPAD: out.wrong = store_shared(command, out); break;
    case MATRIX_UNIT_PRELOAD: out.wrong = preload(command, out); break;
    case MATRIX_UNIT_COMPUTE_FLIP: out.wrong = compute(command, true, out); break;
    case MATRIX_UNIT_COMPUTE_STAY: out.wrong = compute(command, false, out); break;
    case MATRIX_UNIT_FLUSH: break;  // flushes address translation, of which there is none
    default: out.wrong = fmt::format("function code {} is not a command of this unit", command.function);
  }
  if (!out.wrong.empty()) out.count = 0;
  for (unsigned i = 0; i < out.count; ++i) out.commands[i].origin = command.origin;
  return out;
}

std::string RoccDecoder::configure(const RoccCommand& command) {
  const std::uint32_t rs1 = low(command.rs1);
  switch (rs1 & MATRIX_UNIT_CONFIG_KIND_MASK) {
    case MATRIX_UNIT_CONFIG_EXECUTE:
      if ((rs1 & MATRIX_UNIT_EXECUTE_ONLY_STRIDES) != 0) return {};
      if ((rs1 & MATRIX_UNIT_EXECUTE_WEIGHT_STATIONARY) == 0)
        return "configuration asks for output-stationary dataflow; this unit is weight stationary "
               "only";
      if ((rs1 >> MATRIX_UNIT_EXECUTE_ACTIVATION_SHIFT & MATRIX_UNIT_EXECUTE_ACTIVATION_MASK) != 0)
        return "configuration asks for an activation function; this unit has none";
      if ((rs1 & (MATRIX_UNIT_EXECUTE_TRANSPOSE_A | MATRIX_UNIT_EXECUTE_TRANSPOSE_B)) != 0)
        return "configuration asks for a transposed operand; this unit has no transposer";
      return {};
    case MATRIX_UNIT_CONFIG_LOAD: return configure_load(command);
    case MATRIX_UNIT_CONFIG_STORE: transfers_.store_stride = low(command.rs2); return {};
    default: return "this unit has no normalisation";
  }
}

std::string RoccDecoder::load(const RoccCommand& command, unsigned state, Result& out) {
  const Local at = local(command.rs2);
  const TransferRegisters::Load& registers = transfers_.load[state];
  const bool narrow = at.accumulator && narrow_ && registers.shrink;
  const std::uint32_t element = at.accumulator && !narrow ? 4 : element_;
  const std::uint32_t blocks = (at.columns + dim_ - 1) / dim_;
  const std::uint32_t most = at.accumulator && !narrow ? accumulator_blocks_ : blocks_;
  if (blocks > most) return fmt::format("{} columns in one load; at most {}", at.columns, most * dim_);
  if (std::string wrong = outside(at, blocks == 0 ? 1 : blocks, registers.block_stride); !wrong.empty())
    return wrong;
  if (std::string wrong = reshaped(at, blocks, registers); !wrong.empty()) return wrong;
  in_blocks(at.columns, [&](std::uint32_t first, std::uint32_t count, std::uint32_t columns) {
    UnitCommand& c = out.commands[out.count++];
    c.kind = Kind::kLoad;
    const std::uint32_t row = at.row + first * registers.block_stride;
    const RowRange touched{row, row + (count - 1) * registers.block_stride + at.rows, true};
    (at.accumulator ? c.accumulator : c.shared) = touched;
    const std::uint32_t unit = at.accumulator ? 1 : row_bytes_;
    c.move = Move{at.accumulator ? Dma::Kind::kGlobalToAccumulator : Dma::Kind::kGlobalToShared,
                  state == 0   ? Dma::Stream::kA
                  : state == 1 ? Dma::Stream::kB
                               : Dma::Stream::kD,
                  low(command.rs1) + registers.conversion.far_bytes(first * dim_ * element),
                  registers.stride,
                  row * unit,
                  unit,
                  registers.block_stride * unit,
                  static_cast<std::uint16_t>(at.rows),
                  static_cast<std::uint16_t>(count),
                  static_cast<std::uint16_t>(columns * element),
                  at.accumulate,
                  narrow,
                  registers.word(element),
                  registers.conversion};
  });
  return {};
}

std::string RoccDecoder::store(const RoccCommand& command, Result& out) {
  const Local at = local(command.rs2);
  if (!at.accumulator) return "mvout reads the accumulator only; the address names shared memory";
  const std::uint32_t blocks = (at.columns + dim_ - 1) / dim_;
  if (blocks > blocks_) return fmt::format("{} columns in one store; at most {}", at.columns, blocks_ * dim_);
  if (std::string wrong = outside(at, blocks == 0 ? 1 : blocks, dim_); !wrong.empty()) return wrong;
  in_blocks(at.columns, [&](std::uint32_t first, std::uint32_t count, std::uint32_t columns) {
    UnitCommand& c = out.commands[out.count++];
    c.kind = Kind::kStore;
    const std::uint32_t row = at.row + first * dim_;
    c.accumulator = {row, row + (count - 1) * dim_ + at.rows, false};
    c.move = Move{Dma::Kind::kAccumulatorToGlobal,
                  Dma::Stream::kC,
                  low(command.rs1) + first * dim_ * element_,
                  transfers_.store_stride,
                  row,
                  1,
                  dim_,
                  static_cast<std::uint16_t>(at.rows),
                  static_cast<std::uint16_t>(count),
                  static_cast<std::uint16_t>(columns * element_),
                  false,
                  narrow_};
  });
  return {};
}

std::string RoccDecoder::store_shared(const RoccCommand& command, Result& out) {
  const Local at = local(command.rs2);
  if (!at.accumulator) return "a store to shared memory reads the accumulator only";
  if (at.columns > dim_)
    return fmt::format("{} columns in one store to shared memory; at most {}", at.columns, dim_);
  if (std::string wrong = outside(at, 1, 0); !wrong.empty()) return wrong;
  const std::uint64_t row = low(command.rs1);
  if (row + at.rows > shared_rows_)
    return fmt::format("rows {}..{} lie outside the shared memory ({} rows)", row, row + at.rows - 1,
                       shared_rows_);
  UnitCommand& c = out.commands[out.count++];
  c.kind = Kind::kStore;
  c.accumulator = {at.row, at.row + at.rows, false};
  c.shared = {low(command.rs1), low(command.rs1) + at.rows, true};
  c.move = Move{Dma::Kind::kAccumulatorToShared,
                Dma::Stream::kC,
                low(command.rs1) * row_bytes_,
                row_bytes_,
                at.row,
                1,
                dim_,
                static_cast<std::uint16_t>(at.rows),
                1,
                static_cast<std::uint16_t>(at.columns * element_),
                false,
                narrow_};
  return {};
}

std::string RoccDecoder::preload(const RoccCommand& command, Result& out) {
  const Local weights = local(command.rs1), result = local(command.rs2);
  UnitCommand& c = out.commands[0];
  c.kind = Kind::kPreload;
  c.has_operand = !weights.garbage;
  if (c.has_operand) {
    if (weights.accumulator) return "weights are preloaded from shared memory only";
    if (weights.columns > dim_)
      return fmt::format("weights of {} columns; at most {}", weights.columns, dim_);
    if (std::string wrong = outside(weights, 1, 0); !wrong.empty()) return wrong;
    c.operand_row = weights.row;
    c.rows = static_cast<std::uint16_t>(weights.rows);
    c.columns = static_cast<std::uint16_t>(weights.columns);
    c.shared = {weights.row, weights.row + weights.rows, false};
  }
  result_ = {};
  if (!result.garbage) {
    if (!result.accumulator) return "results go to the accumulator only; the address names shared memory";
    if (result.row + dim_ > accumulator_rows_)
      return fmt::format("rows {}..{} lie outside the accumulator ({} rows)", result.row,
                         result.row + dim_ - 1, accumulator_rows_);
    if (result.rows > dim_ || result.columns > dim_)
      return fmt::format("a result of {} rows of {} columns; at most {} each", result.rows, result.columns,
                         dim_);
    result_ = {true, result.accumulate, result.row, result.rows, result.columns};
  }
  out.count = 1;
  return {};
}

std::string RoccDecoder::compute(const RoccCommand& command, bool flip, Result& out) {
  const Local operand = local(command.rs1), bias = local(command.rs2);
  if (!bias.garbage) return "compute cannot add a bias from a local address; load it into the accumulator";
  UnitCommand& c = out.commands[0];
  c.kind = Kind::kCompute;
  c.flip = flip;
  c.has_operand = !operand.garbage;
  if (c.has_operand) {
    if (operand.accumulator) return "A is read from shared memory only";
    if (operand.columns > dim_) return fmt::format("A of {} columns; at most {}", operand.columns, dim_);
    if (std::string wrong = outside(operand, 1, 0); !wrong.empty()) return wrong;
    c.operand_row = operand.row;
    c.rows = static_cast<std::uint16_t>(operand.rows);
    c.columns = static_cast<std::uint16_t>(operand.columns);
    c.shared = {operand.row, operand.row + operand.rows, false};
  }
  c.has_result = result_.valid;
  if (c.has_result) {
    c.accumulate = result_.accumulate;
    c.accumulator_row = result_.row;
    // Extents that the preload did not give: the rows of A, all columns.
    const auto rows = c.has_operand ? c.rows : static_cast<std::uint16_t>(dim_);
    c.result_rows = result_.rows != 0 ? static_cast<std::uint16_t>(result_.rows) : rows;
    c.result_columns = static_cast<std::uint16_t>(result_.columns != 0 ? result_.columns : dim_);
    c.accumulator = {result_.row, result_.row + dim_, true};
  }
  out.count = 1;
  return {};
}

}  // namespace spica::matrix_unit
