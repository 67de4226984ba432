// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/loop_unroller.h"

namespace spica::matrix_unit {

LoopUnroller::LoopUnroller(const MatrixUnitParams& params, LoopSlots& slots,
                           const TransferRegisters& transfers)
    : commands_(params, transfers), slots_(slots) {}

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

void LoopUnroller::start_waiting_phases(base::Cycle now) {
  const LoopSlot& head = slots_.slot(slots_.head());
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
  const std::uint32_t last_k = registers(st).bound.k - 1;
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

bool LoopUnroller::may_resume(const Room& room) const {
  const auto wants = [&](CommandClass c, Phase phase) {
    return room[static_cast<unsigned>(c)] && machine(phase).active;
  };
  return slots_.has_unstarted_phase() || wants(CommandClass::kStore, Phase::kStore) ||
         wants(CommandClass::kExecute, Phase::kExecute) || wants(CommandClass::kLoad, Phase::kLoadA) ||
         wants(CommandClass::kLoad, Phase::kLoadB) || wants(CommandClass::kLoad, Phase::kLoadD);
}

bool LoopUnroller::next(const Room& room, UnitCommand& out) {
  waits_for_loads_ = false;
  const auto has_room = [&](CommandClass c) { return room[static_cast<unsigned>(c)]; };
  const Machine &st = machine(Phase::kStore), &ex = machine(Phase::kExecute);
  if (st.active && has_room(CommandClass::kStore) && execute_ahead(commands_.width_c(registers(st), st.j)))
    return store(out), true;
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

void LoopUnroller::load_a(UnitCommand& out) {
  Machine& m = machine(Phase::kLoadA);
  const LoopRegisters& r = registers(m);
  commands_.load_a(r, m.i, m.k, out);
  if (++m.i < r.bound.i) return;
  m.i = 0;
  m.k += out.move.blocks;
  if (m.k >= r.bound.k) finish(Phase::kLoadA);
}

void LoopUnroller::load_b(UnitCommand& out) {
  Machine& m = machine(Phase::kLoadB);
  const LoopRegisters& r = registers(m);
  commands_.load_b(r, m.k, m.j, out);
  m.j += out.move.blocks;
  if (m.j < r.bound.j) return;
  m.j = 0;
  if (++m.k >= r.bound.k) finish(Phase::kLoadB);
}

void LoopUnroller::load_d(UnitCommand& out) {
  Machine& m = machine(Phase::kLoadD);
  const LoopRegisters& r = registers(m);
  commands_.load_d(r, m.i, m.j, out);
  if (++m.i < r.bound.i) return;
  m.i = 0;
  m.j += out.move.blocks;
  if (m.j >= r.bound.j) finish(Phase::kLoadD);
}

void LoopUnroller::execute(UnitCommand& out) {
  Machine& m = machine(Phase::kExecute);
  const LoopRegisters& r = registers(m);
  if (!m.compute_next) {
    m.compute_next = true;
    return commands_.preload(r, m.i, m.j, m.k, out);
  }
  commands_.compute(r, m.i, m.j, m.k, out);
  m.compute_next = false;
  if (++m.i < r.bound.i) return;
  m.i = 0;
  if (++m.j < r.bound.j) return;
  m.j = 0;
  if (++m.k >= r.bound.k) finish(Phase::kExecute);
}

void LoopUnroller::store(UnitCommand& out) {
  Machine& m = machine(Phase::kStore);
  const LoopRegisters& r = registers(m);
  commands_.store(r, m.i, m.j, out);
  if (++m.i < r.bound.i) return;
  m.i = 0;
  m.j += out.move.blocks;
  if (m.j >= r.bound.j) finish(Phase::kStore);
}

}  // namespace spica::matrix_unit
