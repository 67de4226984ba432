// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/synchronous/wmma_unit.h"

#include "models/base/checkpoint.h"
#include "models/base/hot_inline.h"

namespace spica::tensor_core {

using simt_core::Candidate;
using simt_core::Context;
using simt_core::IssueReason;

WmmaUnit::WmmaUnit(const simt_core::TensorSite& site)
    : TensorUnit(site.stages, site.agenda, site.number),
      operands_(site.stages.core.params),
      own_operands_(site.stages.core.params.own_tensor_operands) {
  tensor_result.bind(*this);
}

bool WmmaUnit::offer(const Candidate& c) {
  if (c.instruction.opcode != isa::Opcode::kWmma) return TensorUnit::offer(c);
  Wmma& wmma = wmmas_[c.warp];
  wmma.next = WmmaMicroOps::of(static_cast<unsigned>(c.instruction.imm)).data();
  wmma.instruction = &c.instruction;
  wmma.mask = c.mask;
  wmma.lanes = c.lanes;
  wmma.micro_op.pc = c.pc;
  wmma.micro_op.warp = static_cast<std::uint8_t>(c.warp);
  wmma.micro_op.lanes = static_cast<std::uint8_t>(c.mask);
  return resume(c.warp, c.now);
}

bool WmmaUnit::resume(unsigned w, base::Cycle now) {
  return !waits(w, *wmmas_[w].next, now) && issue_micro_op(w, now);
}

/// True: it was the last one.
[[gnu::noinline]] bool WmmaUnit::issue_micro_op(unsigned w, base::Cycle now) {
  Wmma& wmma = wmmas_[w];
  const WmmaMicroOp& next = *wmma.next;
  push(w, wmma, now);
  stages_.scoreboard.issue(w, std::uint64_t{1} << next.c);
  stages_.scoreboard.produce(w, next.c, IssueReason::kTensor);
  stages_.account.issue(w, wmma.micro_op.pc);
  if (next.last) stages_.core.executor.warn_tensor({w, wmma.micro_op.pc, wmma.mask, now}, *wmma.instruction);
  stages_.core.stats.count_micro_op(next.last, wmma.lanes);
  if (stages_.core.watchers.any()) notify_micro_op(w, wmma, now);
  if (next.last) return true;
  // What holds the next one back is known already: that spares the attempt in the next cycle.
  waits(w, *++wmma.next, now + 1);
  return false;
}

SPICA_HOT_INLINE void WmmaUnit::push(unsigned w, Wmma& wmma, base::Cycle now) {
  const WmmaMicroOp& next = *wmma.next;
  protocol::TensorMicroOp& micro_op = wmma.micro_op;
  micro_op.result = next.c;
  micro_op.last = next.last;
  micro_op.step = next.step;
  micro_op.substep = next.substep;
  if (next.substep != 0) {
    micro_op.rows = next.pair(stages_.core.state[w].registers);
    tensor_->multiply(micro_op);
  }
  ++rows_;
  if (own_operands_) return tensor_->push(micro_op, operands_.enter(w, now));
  const base::Cycle ready = now + operands_.latency();
  simt_core::OperandLines& lines = stages_.lines;
  if (lines.stands(w) || !free(w))
    return lines.stay(w, *this,
                      {wmma.instruction, micro_op.pc, wmma.mask, next.number, micro_op.lanes, ready});
  const base::Cycle at_unit = std::max({ready, operands_.next(w), lines.next(w)});
  lines.pass(w, at_unit);
  tensor_->push(micro_op, at_unit);
}

void WmmaUnit::enter(unsigned w, const simt_core::Dispatched& entry) {
  const WmmaMicroOp& next = WmmaMicroOps::of(static_cast<unsigned>(entry.instruction->imm))[entry.slot];
  tensor_->push({entry.pc, static_cast<std::uint8_t>(w), entry.lanes, next.c, next.last}, entry.ready);
}

void WmmaUnit::notify_micro_op(unsigned w, const Wmma& wmma, base::Cycle now) const {
  const Context& core = stages_.core;
  const protocol::Origin origin = core.identity.origin(w, wmma.micro_op.pc, wmma.mask);
  core.watchers.issue_micro_op({now, origin, *wmma.instruction, core.state[w].registers}, wmma.lanes,
                               wmma.micro_op.last);
}

/// True when the micro-op cannot issue; the warp then waits for a write-back or for room.
SPICA_HOT_INLINE bool WmmaUnit::waits(unsigned w, const WmmaMicroOp& next, base::Cycle now) {
  return stages_.scoreboard.waits_for(w, next.reads) || !has_room(w, now);
}

/// False: the warp waits until its line moves, or its micro-ops in the tensor core.
SPICA_HOT_INLINE bool WmmaUnit::has_room(unsigned w, base::Cycle now) {
  const simt_core::OperandLines& lines = stages_.lines;
  if (own_operands_ ? free(w) && !lines.stands(w) : lines.has_room(w, now)) return true;
  if (own_operands_ || lines.full(w)) stages_.scoreboard.block(w, IssueReason::kUnitBusy);
  else stages_.scoreboard.retry(w, IssueReason::kUnitBusy);
  return false;
}

bool WmmaUnit::write_back(const protocol::TensorResult& row) {
  if (!stages_.commit.complete_row(row)) return false;
  --rows_;
  return true;
}

void WmmaUnit::on_room(unsigned w, base::Cycle now) {
  if (own_operands_) return wake_for_room(w);
  operands_.took(w, now);
  if (stages_.lines.stands(w) && stages_.lines.move(w)) wake_for_room(w);
}

void WmmaUnit::reset() {
  ExecutionUnit::reset();
  operands_.reset();
  rows_ = 0;
}

void WmmaUnit::add_to(base::Checkpoint& checkpoint) {
  checkpoint.objects().add(static_cast<simt_core::LineEnd*>(this));
  for (const unsigned bank : {0u, 1u})
    for (const WmmaMicroOp& micro_op : WmmaMicroOps::of(bank))
      checkpoint.objects().add(const_cast<WmmaMicroOp*>(&micro_op));
}

void WmmaUnit::timing(base::Checkpoint& checkpoint) {
  ExecutionUnit::timing(checkpoint);
  checkpoint(operands_, rows_, wmmas_);
}

}  // namespace spica::tensor_core
