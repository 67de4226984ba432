// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/simt_core/pipeline/units/buffered_unit.h"

namespace spica::simt_core {

/// An integer unit (branches, too) or a floating-point unit. Results are computed at issue; dependents wait until the
/// latency of the instruction has passed.
///
/// Source   vortex core/VX_alu_unit.sv, core/VX_fpu_unit.sv
class ArithmeticUnit final : public BufferedUnit {
 public:
  ArithmeticUnit(const Stages& stages, Agenda& agenda, unsigned number)
      : BufferedUnit(stages, agenda, number),
        skips_buffers_(stages.core.params.dispatch_depth >= stages.core.params.operand_latency) {}

  bool offer(const Candidate& c) override;
  void end_of_issue() override;
  bool done() const override { return buffers_.empty() && alone_.instruction == nullptr; }

 private:
  base::Cycle take(unsigned warp, const Dispatched& entry, base::Cycle now) override;
  bool execute(const Candidate& c);
  void dispatch(const Candidate& c);
  void pass(unsigned warp, const Dispatched& entry, base::Cycle now);
  void complete(unsigned warp, const Dispatched& entry, base::Cycle now, base::Cycle taken);

  /// An instruction that has come to an idle unit alone, until another one comes in the same cycle: nothing can change
  /// when the unit takes it, and it needs no dispatch buffer.
  Dispatched alone_;
  unsigned alone_warp_ = 0;
  const bool skips_buffers_;  // it would leave its buffer before the next one of its warp could fill it
};

}  // namespace spica::simt_core
