// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units/tensor_unit.h"

namespace spica::simt_core {

bool TensorUnit::offer(const Candidate& c) {
  if (tensor_ == nullptr || c.instruction.opcode != isa::Opcode::kWmma) return refuse(c, no_tensor_core());
  TensorSequencer& sequencer = sequencers_[c.warp];
  const auto bank = static_cast<unsigned>(c.instruction.imm);
  const TensorSequencer::MicroOp next = sequencer.next(bank);
  if (waits(c.warp, next)) return false;
  push(c, next);
  sequencer.advance();
  stages_.scoreboard.issue(c.warp, std::uint64_t{1} << next.c);
  stages_.scoreboard.produce(c.warp, next.c, IssueReason::kTensor);
  stages_.account.issue(c.warp, c.pc);
  ++rows_;
  if (next.last) stages_.core.executor.warn_tensor(at(c), c.instruction);
  count(c, next.last);
  // What holds the next one back is known already: that spares the attempt in the next cycle.
  if (!next.last) waits(c.warp, sequencer.next(bank));
  return next.last;
}

void TensorUnit::push(const Candidate& c, const TensorSequencer::MicroOp& next) {
  isa::RegisterFile& registers = stages_.core.state[c.warp].registers;
  protocol::TensorMicroOp micro_op;
  micro_op.pc = c.pc;
  micro_op.warp = static_cast<std::uint8_t>(c.warp);
  micro_op.lanes = static_cast<std::uint8_t>(c.mask);
  micro_op.result = next.c;
  micro_op.last = next.last;
  micro_op.step = next.step;
  micro_op.substep = next.substep;
  micro_op.ready = c.now + stages_.core.params.operand_latency;
  micro_op.a = registers.row(next.a);
  micro_op.b = registers.row(next.b);
  micro_op.c = registers.row(next.c);
  if (!tensor_->push(micro_op)) full_ |= 1u << c.warp;
}

/// Of a wmma only its last micro-op counts as an instruction.
void TensorUnit::count(const Candidate& c, bool last) {
  CoreStats& stats = stages_.core.stats;
  ++stats.issues;
  ++stats.dispatches;
  ++stats.tensor_micro_ops;
  stats.register_reads += 3;
  ++stats.register_writes;
  if (last) {
    ++stats.warp_instructions;
    stats.thread_instructions += c.lanes;
    ++stats.tensor;
  }
  if (!stages_.core.watchers.any()) return;
  const Context& core = stages_.core;
  const protocol::Origin origin = core.identity.origin(c.warp, c.pc, c.mask);
  core.watchers.issue_micro_op({c.now, origin, c.instruction, core.state[c.warp].registers}, c.lanes, last);
}

/// True when the micro-op cannot issue; the warp then waits for a write-back or for room.
bool TensorUnit::waits(unsigned w, const TensorSequencer::MicroOp& next) {
  if (stages_.scoreboard.waits_for(w, next.reads())) return true;
  if ((full_ >> w & 1) == 0) return false;
  stages_.scoreboard.block(w, IssueReason::kUnitBusy);  // until on_room()
  return true;
}

bool TensorUnit::write_back(const protocol::TensorResult& row) {
  if (!stages_.commit.complete_row(row)) return false;
  --rows_;
  return true;
}

void TensorUnit::on_room(unsigned w) {
  full_ &= ~(1u << w);
  wake_for_room(w);
}

void TensorUnit::reset() {
  ExecutionUnit::reset();
  full_ = 0;
  rows_ = 0;
  for (TensorSequencer& sequencer : sequencers_) sequencer.reset();
}

}  // namespace spica::simt_core
