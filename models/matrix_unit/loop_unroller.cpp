// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/loop_unroller.h"

namespace spica::matrix_unit {

using Kind = UnitCommand::Kind;
using Dma = protocol::DmaCommand;

LoopUnroller::LoopUnroller(const MatrixUnitParams& p, LoopSlots& slots, const TransferRegisters& transfers)
    : dim_(static_cast<std::uint32_t>(p.dim)),
      element_(p.element_bytes()),
      row_bytes_(p.row_bytes()),
      blocks_(p.transfer_blocks()),
      accumulator_blocks_(p.accumulator_transfer_blocks()),
      accumulator_rows_(p.accumulator_rows()),
      narrow_(p.operand == OperandFormat::kFp16),
      slots_(slots),
      transfers_(transfers) {}

void LoopUnroller::reset() {
  machines_ = {};
  waits_for_loads_ = false;
}

bool LoopUnroller::may_start(Phase phase, unsigned slot) const {
  const LoopSlot& loop = slots_.slot(slot);
  const LoopSlot& head = slots_.slot(slots_.head());
  const bool younger = slot != slots_.head();
  if (phase == Phase::kExecute)
    return loop.has_started(Phase::kLoadA) && loop.has_started(Phase::kLoadB) &&
           loop.has_started(Phase::kLoadD) && (!younger || head.has_completed(Phase::kStore));
  if (phase == Phase::kLoadD)
    return !younger || (head.has_completed(Phase::kExecute) && head.has_completed(Phase::kStore));
  if (phase == Phase::kStore)
    return loop.has_started(Phase::kExecute) && loop.has_started(Phase::kLoadD) &&
           (!younger || head.has_completed(Phase::kExecute));
  return true;
}

void LoopUnroller::start_phases(base::Cycle now) {
  const LoopSlot &head = slots_.slot(slots_.head()), &tail = slots_.slot(slots_.tail());
  if (head.started == kAllPhases && (!tail.configured || tail.started == kAllPhases)) return;
  for (unsigned p = 0; p < kPhases; ++p) {
    if (machines_[p].active) continue;
    const auto phase = static_cast<Phase>(p);
    const unsigned slot = head.has_started(phase) ? slots_.tail() : slots_.head();
    LoopSlot& loop = slots_.slot(slot);
    if (!loop.configured || loop.has_started(phase) || now < loop.start || !may_start(phase, slot)) continue;
    loop.started |= bit(phase);
    machines_[p] = Machine{true, slot, 0, 0, 0, false};
  }
}

void LoopUnroller::finish(Phase phase) {
  Machine& m = machine(phase);
  m.active = false;
  slots_.slot(m.slot).completed |= bit(phase);
}

/// True when `phase` has issued everything of loop `slot` (or has left it, or is skipped there).
bool LoopUnroller::past(Phase phase, unsigned slot) const {
  const Machine& m = machine(phase);
  return !m.active || m.slot != slot;
}

bool LoopUnroller::loads_ahead() const {
  const Machine &ex = machine(Phase::kExecute), &a = machine(Phase::kLoadA), &b = machine(Phase::kLoadB);
  const bool a_ahead = past(Phase::kLoadA, ex.slot) || a.k > ex.k || (a.k == ex.k && a.i > ex.i);
  const bool b_ahead = past(Phase::kLoadB, ex.slot) || b.k > ex.k || (b.k == ex.k && b.j > ex.j);
  return a_ahead && b_ahead && past(Phase::kLoadD, ex.slot);
}

bool LoopUnroller::execute_ahead(std::uint32_t blocks) const {
  const Machine &st = machine(Phase::kStore), &ex = machine(Phase::kExecute);
  if (!past(Phase::kLoadD, st.slot)) return false;
  if (past(Phase::kExecute, st.slot)) return true;
  const std::uint32_t last_k = slots_.slot(st.slot).registers.bound_k - 1;
  return ex.k == last_k && (ex.j >= st.j + blocks || (ex.j == st.j + blocks - 1 && ex.i > st.i));
}

bool LoopUnroller::choose_a() const {
  const Machine &a = machine(Phase::kLoadA), &b = machine(Phase::kLoadB);
  if (!a.active || !b.active) return a.active;
  if (a.slot != b.slot) return a.slot == slots_.head();
  const bool a_first = a.i == 0 && a.k == 0, b_first = b.j == 0 && b.k == 0;
  if (a_first) return true;
  if (b_first) return false;
  return a.k <= b.k;
}

bool LoopUnroller::may_go_on(const Room& room) const {
  const auto wants = [&](CommandClass c, Phase phase) {
    return room[static_cast<unsigned>(c)] && machine(phase).active;
  };
  const LoopSlot &head = slots_.slot(slots_.head()), &tail = slots_.slot(slots_.tail());
  return head.started != kAllPhases || (tail.configured && tail.started != kAllPhases) ||
         wants(CommandClass::kStore, Phase::kStore) || wants(CommandClass::kExecute, Phase::kExecute) ||
         wants(CommandClass::kLoad, Phase::kLoadA) || wants(CommandClass::kLoad, Phase::kLoadB) ||
         wants(CommandClass::kLoad, Phase::kLoadD);
}

bool LoopUnroller::next(const Room& room, UnitCommand& out) {
  waits_for_loads_ = false;
  const auto has_room = [&](CommandClass c) { return room[static_cast<unsigned>(c)]; };
  const Machine &st = machine(Phase::kStore), &ex = machine(Phase::kExecute);
  if (st.active && has_room(CommandClass::kStore)) {
    const LoopRegisters& r = slots_.slot(st.slot).registers;
    const std::uint32_t most = r.store_shared ? 1 : side_by_side(r, blocks_);
    if (execute_ahead(blocks_from(st.j, r.bound_j, r.pad_j, most))) return store(out), true;
  }
  if (ex.active && has_room(CommandClass::kExecute)) {
    if (ex.compute_next || loads_ahead()) return execute(out), true;
    waits_for_loads_ = true;
  }
  if (!has_room(CommandClass::kLoad)) return false;
  if (machine(Phase::kLoadD).active) return load_d(out), true;
  if (!machine(Phase::kLoadA).active && !machine(Phase::kLoadB).active) return false;
  choose_a() ? load_a(out) : load_b(out);
  return true;
}

/// Blocks side by side from block `at`: a padded last block goes alone because its rows are
/// shorter.
std::uint32_t LoopUnroller::blocks_from(std::uint32_t at, std::uint32_t bound, std::uint32_t pad,
                                        std::uint32_t most) const {
  const std::uint32_t left = bound - at - (pad != 0 && at + 1 < bound ? 1 : 0);
  return left < most ? left : most;
}

/// Row of C block (i, j): the accumulator wraps around.
std::uint32_t LoopUnroller::sums_row(const LoopRegisters& r, std::uint32_t i, std::uint32_t j) const {
  const std::uint32_t row = r.sums_start + (i * r.bound_j + j) * dim_;
  return row < accumulator_rows_ ? row : row - accumulator_rows_;
}

/// Blocks of C side by side that one command may move: one where a row of blocks lies across the
/// end of the accumulator.
std::uint32_t LoopUnroller::side_by_side(const LoopRegisters& r, std::uint32_t most) const {
  const std::uint32_t to_end = (accumulator_rows_ - r.sums_start) / dim_;
  const bool torn = r.bound_i * r.bound_j > to_end && to_end % r.bound_j != 0;
  return torn ? 1 : most;
}

namespace {

void begin(UnitCommand& out, const LoopRegisters& r) {
  out = UnitCommand{};
  out.origin = r.origin;
  out.loop = r.number;
}

/// A load of `blocks` blocks of `rows` rows to shared-memory row `row`.
void shared_load(UnitCommand& out, Dma::Stream stream, std::uint32_t global,
                 const TransferRegisters::Load& state, std::uint32_t row, std::uint32_t rows,
                 std::uint32_t blocks, std::uint32_t block_bytes, std::uint32_t row_bytes) {
  out.kind = Kind::kLoad;
  out.shared = {row, row + (blocks - 1) * state.block_stride + rows, true};
  Move& m = out.move;
  m.kind = Dma::Kind::kGlobalToShared;
  m.stream = stream;
  m.global_address = global;
  m.global_stride = state.stride;
  m.local_address = row * row_bytes;
  m.local_stride = row_bytes;
  m.block_stride = state.block_stride * row_bytes;
  m.rows = static_cast<std::uint16_t>(rows);
  m.blocks = static_cast<std::uint16_t>(blocks);
  m.block_bytes = static_cast<std::uint16_t>(block_bytes);
}

}  // namespace

void LoopUnroller::load_a(UnitCommand& out) {
  Machine& m = machine(Phase::kLoadA);
  const LoopRegisters& r = slots_.slot(m.slot).registers;
  const std::uint32_t blocks = blocks_from(m.k, r.bound_k, r.pad_k, blocks_);
  const std::uint32_t pad = m.k + 1 == r.bound_k ? r.pad_k : 0;
  const std::uint32_t rows = dim_ - (m.i + 1 == r.bound_i ? r.pad_i : 0);
  begin(out, r);
  shared_load(out, Dma::Stream::kA, r.address_a + (m.i * r.stride_a + m.k) * dim_ * element_,
              transfers_.load[0], r.tile_a + (m.i * r.bound_k + m.k) * dim_, rows, blocks,
              (dim_ - pad) * element_, row_bytes_);
  if (++m.i < r.bound_i) return;
  m.i = 0;
  m.k += blocks;
  if (m.k >= r.bound_k) finish(Phase::kLoadA);
}

void LoopUnroller::load_b(UnitCommand& out) {
  Machine& m = machine(Phase::kLoadB);
  const LoopRegisters& r = slots_.slot(m.slot).registers;
  const std::uint32_t blocks = blocks_from(m.j, r.bound_j, r.pad_j, blocks_);
  const std::uint32_t pad = m.j + 1 == r.bound_j ? r.pad_j : 0;
  const std::uint32_t rows = dim_ - (m.k + 1 == r.bound_k ? r.pad_k : 0);
  begin(out, r);
  shared_load(out, Dma::Stream::kB, r.address_b + (m.k * r.stride_b + m.j) * dim_ * element_,
              transfers_.load[1],
              r.tile_b_end - r.bound_k * r.bound_j * dim_ + (m.k * r.bound_j + m.j) * dim_, rows, blocks,
              (dim_ - pad) * element_, row_bytes_);
  m.j += blocks;
  if (m.j < r.bound_j) return;
  m.j = 0;
  if (++m.k >= r.bound_k) finish(Phase::kLoadB);
}

void LoopUnroller::load_d(UnitCommand& out) {
  Machine& m = machine(Phase::kLoadD);
  const LoopRegisters& r = slots_.slot(m.slot).registers;
  // The loop steps through D in elements of the size that LOOP_WS names; how wide they are in
  // memory says the configuration of load state 2. Software sets both consistently.
  const std::uint32_t step = r.low_d ? element_ : 4;
  const bool narrow = narrow_ && transfers_.load[2].shrink;
  const std::uint32_t element = narrow ? element_ : 4;
  const std::uint32_t blocks =
      blocks_from(m.j, r.bound_j, r.pad_j, side_by_side(r, narrow ? blocks_ : accumulator_blocks_));
  const std::uint32_t pad = m.j + 1 == r.bound_j ? r.pad_j : 0;
  const std::uint32_t rows = dim_ - (m.i + 1 == r.bound_i ? r.pad_i : 0);
  const std::uint32_t row = sums_row(r, m.i, m.j);
  begin(out, r);
  out.kind = Kind::kLoad;
  out.accumulator = {row, row + blocks * dim_, true};
  out.move = Move{Dma::Kind::kGlobalToAccumulator,
                  Dma::Stream::kD,
                  r.address_d + (m.i * r.stride_d + m.j) * dim_ * step,
                  transfers_.load[2].stride,
                  row,
                  1,
                  dim_,
                  static_cast<std::uint16_t>(rows),
                  static_cast<std::uint16_t>(blocks),
                  static_cast<std::uint16_t>((dim_ - pad) * element),
                  false,
                  narrow};
  if (++m.i < r.bound_i) return;
  m.i = 0;
  m.j += blocks;
  if (m.j >= r.bound_j) finish(Phase::kLoadD);
}

void LoopUnroller::execute(UnitCommand& out) {
  Machine& m = machine(Phase::kExecute);
  const LoopRegisters& r = slots_.slot(m.slot).registers;
  const std::uint32_t rows_i = dim_ - (m.i + 1 == r.bound_i ? r.pad_i : 0);
  const std::uint32_t rows_k = dim_ - (m.k + 1 == r.bound_k ? r.pad_k : 0);
  const std::uint32_t columns_j = dim_ - (m.j + 1 == r.bound_j ? r.pad_j : 0);
  begin(out, r);
  if (!m.compute_next) {
    out.kind = Kind::kPreload;
    out.has_operand = m.i == 0;
    if (out.has_operand) {
      out.operand_row = r.tile_b_end - r.bound_k * r.bound_j * dim_ + (m.k * r.bound_j + m.j) * dim_;
      out.rows = static_cast<std::uint16_t>(rows_k);
      out.columns = static_cast<std::uint16_t>(columns_j);
      out.shared = {out.operand_row, out.operand_row + rows_k, false};
    }
    m.compute_next = true;
    return;
  }
  out.kind = Kind::kCompute;
  out.has_operand = true;
  out.flip = m.i == 0;
  out.operand_row = r.tile_a + (m.i * r.bound_k + m.k) * dim_;
  out.rows = static_cast<std::uint16_t>(rows_i);
  out.columns = static_cast<std::uint16_t>(rows_k);
  out.shared = {out.operand_row, out.operand_row + rows_i, false};
  out.has_result = true;
  out.accumulate = m.k != 0 || r.accumulate;
  out.accumulator_row = sums_row(r, m.i, m.j);
  out.result_rows = static_cast<std::uint16_t>(rows_i);
  out.result_columns = static_cast<std::uint16_t>(columns_j);
  out.accumulator = {out.accumulator_row, out.accumulator_row + dim_, true};
  m.compute_next = false;
  if (++m.i < r.bound_i) return;
  m.i = 0;
  if (++m.j < r.bound_j) return;
  m.j = 0;
  if (++m.k >= r.bound_k) finish(Phase::kExecute);
}

void LoopUnroller::store(UnitCommand& out) {
  Machine& m = machine(Phase::kStore);
  const LoopRegisters& r = slots_.slot(m.slot).registers;
  // FP16 units always round: reading the accumulator in full width is off (virgo
  // subsystem/Configs.scala).
  const std::uint32_t blocks =
      blocks_from(m.j, r.bound_j, r.pad_j, r.store_shared ? 1 : side_by_side(r, blocks_));
  const std::uint32_t pad = m.j + 1 == r.bound_j ? r.pad_j : 0;
  const std::uint32_t rows = dim_ - (m.i + 1 == r.bound_i ? r.pad_i : 0);
  const std::uint32_t row = sums_row(r, m.i, m.j);
  begin(out, r);
  out.kind = Kind::kStore;
  out.accumulator = {row, row + blocks * dim_, false};
  Move& move = out.move;
  move.stream = Dma::Stream::kC;
  if (r.store_shared) {
    const std::uint32_t to = r.store_row + (m.i * r.bound_j + m.j) * dim_;
    out.shared = {to, to + rows, true};
    move.kind = Dma::Kind::kAccumulatorToShared;
    move.global_address = to * row_bytes_;
    move.global_stride = row_bytes_;
  } else {
    move.kind = Dma::Kind::kAccumulatorToGlobal;
    move.global_address = r.address_c + (m.i * r.stride_c + m.j) * dim_ * element_;
    move.global_stride = transfers_.store_stride;
  }
  move.local_address = row;
  move.local_stride = 1;
  move.block_stride = dim_;
  move.rows = static_cast<std::uint16_t>(rows);
  move.blocks = static_cast<std::uint16_t>(blocks);
  move.block_bytes = static_cast<std::uint16_t>((dim_ - pad) * element_);
  move.narrow = narrow_;
  if (++m.i < r.bound_i) return;
  m.i = 0;
  m.j += blocks;
  if (m.j >= r.bound_j) finish(Phase::kStore);
}

}  // namespace spica::matrix_unit
