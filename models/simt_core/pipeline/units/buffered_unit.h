// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/base/hot_inline.h"
#include "models/simt_core/pipeline/units/dispatch_buffers.h"
#include "models/simt_core/pipeline/units/execution_unit.h"
#include "models/simt_core/pipeline/units/operand_stage.h"

namespace spica::simt_core {

/// A unit with dispatch buffers, one entry per warp, from which it takes one instruction at a time, in turn.
///
/// Takes    an instruction after the operand stage, at the earliest one cycle after the one before it in its warp's
///          line (OperandLines)
/// Source   vortex core/VX_dispatch.sv
class BufferedUnit : public ExecutionUnit, private LineEnd {
 public:
  BufferedUnit(const Stages& stages, Agenda& agenda, unsigned number)
      : ExecutionUnit(stages, agenda, number),
        operands_(stages.core.params),
        buffers_(static_cast<unsigned>(stages.core.params.warps), stages.core.params.turns) {}

  bool done() const override { return buffers_.empty() && alone_.instruction == nullptr; }
  void tick(base::Cycle now) override {
    take_next(now);
    replan(buffers_.due());
  }
  void end_of_issue() override {
    if (alone_.instruction == nullptr) return;
    pass(alone_warp_, alone_, stages_.core.now());
    alone_.instruction = nullptr;
  }
  void reset() override {
    ExecutionUnit::reset();
    buffers_.reset();
    alone_.instruction = nullptr;
    operands_.reset();
  }

  // Not saved: alone_ and alone_warp_, valid within one cycle.
  void add_to(base::Checkpoint& checkpoint) override;
  void timing(base::Checkpoint& checkpoint) override;

 protected:
  /// Executes this instruction of the warp in cycle `taken`: this one, or a later one if nothing can intervene. `entry`
  /// is valid until the next push(). Returns the number of cycles for which the unit takes no other.
  virtual base::Cycle take(unsigned warp, const Dispatched& entry, base::Cycle now, base::Cycle taken) = 0;

  /// False: the warp waits until its line moves.
  bool has_room(const Candidate& c) {
    if (stages_.lines.has_room(c.warp, c.now)) return true;
    if (stages_.lines.full(c.warp)) stages_.scoreboard.block(c.warp, IssueReason::kUnitBusy);
    else stages_.scoreboard.retry(c.warp, IssueReason::kUnitBusy);
    return false;
  }
  /// The cycle in which the candidate reaches the unit; kNever: unknown.
  base::Cycle ready(const Candidate& c) const {
    return std::max({c.now + operands_.latency(), operands_.next(c.warp), stages_.lines.next(c.warp)});
  }
  Dispatched dispatched(const Candidate& c, base::Cycle ready, unsigned slot) const {
    return {
        &c.instruction, c.pc, c.mask, static_cast<std::uint16_t>(slot), static_cast<std::uint8_t>(c.lanes),
        ready};
  }
  void push(const Candidate& c, unsigned slot = 0) {
    const base::Cycle at_unit = ready(c);
    if (at_unit == base::kNever || !buffers_.free(c.warp))
      return stages_.lines.stay(c.warp, *this, dispatched(c, c.now + operands_.latency(), slot));
    stages_.lines.pass(c.warp, at_unit);
    enter(c.warp, dispatched(c, at_unit, slot));
  }
  /// Through the buffers or past them: a single instruction for an idle unit is taken as soon as it is ready.
  /// `certain`: nothing in the unit can change that.
  SPICA_HOT_INLINE void dispatch(const Candidate& c, bool certain, unsigned slot = 0) {
    const base::Cycle at_unit = c.now + operands_.latency();
    if (!certain || alone_.instruction != nullptr || operands_.next(c.warp) > at_unit ||
        stages_.lines.next(c.warp) > at_unit || !buffers_.takes_at_once(at_unit) ||
        stages_.core.every_cycle_counts()) {
      push_all(c, slot);
      return;
    }
    stages_.lines.pass(c.warp, at_unit);
    if (c.last) pass(c.warp, dispatched(c, at_unit, slot), c.now);
    else hold(c, at_unit, slot);
  }
  void take_next(base::Cycle now) {
    unsigned warp = 0;
    const Dispatched* entry = buffers_.take(now, warp);
    if (entry == nullptr) return;
    ++stages_.core.stats.dispatches;
    buffers_.hold_until(now + take(warp, *entry, now, now));
    left(warp, now);
  }
  /// An instruction of the warp has left its buffer, so its line moves.
  void left(unsigned warp, base::Cycle now) {
    operands_.took(warp, now);
    if (stages_.lines.stands(warp) && stages_.lines.move(warp)) stages_.scoreboard.wake(warp);
  }
  // LineEnd
  void enter(unsigned warp, const Dispatched& entry) override {
    buffers_.push(warp, entry);
    plan(buffers_.due());
  }

  OperandStage operands_;
  DispatchBuffers buffers_;

 private:
  bool free(unsigned warp) const override { return buffers_.free(warp); }
  base::Cycle next(unsigned warp) const override { return operands_.next(warp); }

  /// Pushes the candidate, and the one that was alone until now.
  [[gnu::noinline]] void push_all(const Candidate& c, unsigned slot) {
    if (alone_.instruction != nullptr) enter(alone_warp_, alone_);
    alone_.instruction = nullptr;
    push(c, slot);
  }
  [[gnu::noinline]] void hold(const Candidate& c, base::Cycle ready, unsigned slot) {
    alone_ = dispatched(c, ready, slot);
    alone_warp_ = c.warp;
    ask_for_end_of_issue();
  }
  SPICA_HOT_INLINE void pass(unsigned warp, const Dispatched& entry, base::Cycle now) {
    stages_.core.stats.count_dispatch(entry.ready);
    operands_.took(warp, entry.ready);
    buffers_.pass(warp, entry.ready);
    buffers_.hold_until(entry.ready + entry.instruction->interval);
    take(warp, entry, now, entry.ready);
  }

  Dispatched alone_;  // the only instruction so far, unless another one comes in the same cycle
  unsigned alone_warp_ = 0;
};

}  // namespace spica::simt_core
