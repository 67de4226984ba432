// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/simt_core/pipeline/units/dispatch_buffers.h"
#include "models/simt_core/pipeline/units/execution_unit.h"

namespace spica::simt_core {

/// A unit with dispatch buffers, from which it takes one instruction at a time, of the warps in turn.
///
/// Takes    an instruction at the earliest `operand_latency` cycles after it issued
/// Source   vortex core/VX_dispatch.sv
class BufferedUnit : public ExecutionUnit {
 public:
  BufferedUnit(const Stages& stages, Agenda& agenda, unsigned number)
      : ExecutionUnit(stages, agenda, number),
        operand_latency_(stages.core.params.operand_latency),
        buffers_(static_cast<unsigned>(stages.core.params.warps),
                 static_cast<unsigned>(stages.core.params.dispatch_depth)) {}

  bool done() const override { return buffers_.empty(); }
  void tick(base::Cycle now) override {
    take_next(now);
    replan(buffers_.due());
  }
  void reset() override {
    ExecutionUnit::reset();
    buffers_.reset();
  }

 protected:
  /// The unit has taken this instruction of the warp; `entry` is valid until the next push(). Returns for how many cycles
  /// it takes no other.
  virtual base::Cycle take(unsigned warp, const Dispatched& entry, base::Cycle now) = 0;

  /// False: the warp waits until the unit takes one of its instructions.
  bool has_room(unsigned warp) {
    if (!buffers_.full(warp)) return true;
    stages_.scoreboard.block(warp, IssueReason::kUnitBusy);
    return false;
  }
  Dispatched dispatched(const Candidate& c, unsigned slot = 0) const {
    return {&c.instruction,
            c.pc,
            c.mask,
            static_cast<std::uint16_t>(slot),
            static_cast<std::uint8_t>(c.lanes),
            c.now + operand_latency_};
  }
  void push(const Candidate& c, unsigned slot = 0) {
    buffers_.push(c.warp, dispatched(c, slot));
    plan(buffers_.due());
  }
  void take_next(base::Cycle now) {
    unsigned warp = 0;
    const Dispatched* entry = buffers_.take(now, warp);
    if (entry == nullptr) return;
    ++stages_.core.stats.dispatches;
    stages_.scoreboard.wake(warp);  // it may have waited for room here
    buffers_.hold_until(now + take(warp, *entry, now));
  }

  const base::Cycle operand_latency_;
  DispatchBuffers buffers_;
};

}  // namespace spica::simt_core
