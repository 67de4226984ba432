// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/base/hot_inline.h"
#include "models/simt_core/pipeline/units/dispatch_buffers.h"
#include "models/simt_core/pipeline/units/execution_unit.h"
#include "models/simt_core/pipeline/units/operand_stage.h"

namespace spica::simt_core {

/// A unit with dispatch buffers, from which it takes one instruction at a time, of the warps in turn.
///
/// Takes    an instruction when it is through the operand stage
/// Source   vortex core/VX_dispatch.sv
class BufferedUnit : public ExecutionUnit {
 public:
  BufferedUnit(const Stages& stages, Agenda& agenda, unsigned number)
      : ExecutionUnit(stages, agenda, number),
        operands_(stages.core.params),
        skips_buffers_(stages.core.params.dispatch_depth >= operands_.latency()),
        buffers_(static_cast<unsigned>(stages.core.params.warps),
                 static_cast<unsigned>(stages.core.params.dispatch_depth)) {}

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

 protected:
  /// The unit takes this instruction of the warp in cycle `taken`: this one, or a later one, where nothing can come in
  /// between. `entry` is valid until the next one enters the buffers. Returns for how many cycles it takes no other.
  virtual base::Cycle take(unsigned warp, const Dispatched& entry, base::Cycle now, base::Cycle taken) = 0;

  /// False: the warp waits until the unit takes one of its instructions.
  bool has_room(unsigned warp) {
    if (!buffers_.full(warp)) return true;
    stages_.scoreboard.block(warp, IssueReason::kUnitBusy);
    return false;
  }
  /// The candidate enters the operand stage.
  Dispatched dispatched(const Candidate& c, unsigned slot = 0) {
    return {&c.instruction,
            c.pc,
            c.mask,
            static_cast<std::uint16_t>(slot),
            static_cast<std::uint8_t>(c.lanes),
            operands_.enter(c.warp, c.now)};
  }
  /// Through the buffers or past them: an instruction that comes to an idle unit alone is taken as soon as it is ready.
  /// `certain`: nothing in the unit can change that.
  SPICA_HOT_INLINE void dispatch(const Candidate& c, bool certain, unsigned slot = 0) {
    if (!certain || alone_.instruction != nullptr || !skips_buffers_ || !operands_.is_clear(c.warp, c.now) ||
        !buffers_.takes_at_once(c.now + operands_.latency()) || stages_.core.every_cycle_counts()) {
      push_all(c, slot);
    } else if (c.last) {
      pass(c.warp, dispatched(c, slot), c.now);
    } else {
      hold(c, slot);
    }
  }
  void take_next(base::Cycle now) {
    unsigned warp = 0;
    const Dispatched* entry = buffers_.take(now, warp);
    if (entry == nullptr) return;
    ++stages_.core.stats.dispatches;
    stages_.scoreboard.wake(warp);  // it may have waited for room here
    buffers_.hold_until(now + take(warp, *entry, now, now));
  }

  OperandStage operands_;
  const bool skips_buffers_;  // an instruction leaves its buffer before the next one of its warp can fill it
  DispatchBuffers buffers_;

 private:
  /// With the one that was alone until now.
  [[gnu::noinline]] void push_all(const Candidate& c, unsigned slot) {
    if (alone_.instruction != nullptr) buffers_.push(alone_warp_, alone_);
    alone_.instruction = nullptr;
    buffers_.push(c.warp, dispatched(c, slot));
    plan(buffers_.due());
  }
  [[gnu::noinline]] void hold(const Candidate& c, unsigned slot) {
    alone_ = dispatched(c, slot);
    alone_warp_ = c.warp;
    ask_for_end_of_issue();
  }
  SPICA_HOT_INLINE void pass(unsigned warp, const Dispatched& entry, base::Cycle now) {
    stages_.core.stats.count_dispatch(entry.ready);
    buffers_.pass(warp);
    buffers_.hold_until(entry.ready + entry.instruction->interval);
    take(warp, entry, now, entry.ready);
  }

  Dispatched alone_;  // has come alone, unless another one comes in the same cycle
  unsigned alone_warp_ = 0;
};

}  // namespace spica::simt_core
