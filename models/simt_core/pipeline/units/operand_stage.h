// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "models/base/types.h"
#include "models/simt_core/simt_core_params.h"

namespace spica::simt_core {

/// The path from issue to one unit: staging, operand and dispatch registers.
///
/// Timing   an instruction reaches the unit `operand_latency` cycles after it issued, at the earliest
///          `dispatch_interval` cycles after the one of its warp before it
/// Source   vortex core/VX_operands_dup.sv, core/VX_dispatch.sv
class OperandStage {
 public:
  explicit OperandStage(const Params& params)
      : latency_(params.operand_latency), interval_(params.dispatch_interval) {}

  base::Cycle latency() const { return latency_; }
  /// The first cycle in which the unit can take another instruction of the warp.
  base::Cycle next(unsigned warp) const { return next_[warp]; }
  /// The unit takes an instruction in cycle `taken`.
  void took(unsigned warp, base::Cycle taken) { next_[warp] = taken + interval_; }
  /// An instruction of the warp issues; returns the cycle in which it reaches the unit.
  base::Cycle enter(unsigned warp, base::Cycle now) {
    const base::Cycle arrival = std::max(now + latency_, next_[warp]);
    took(warp, arrival);
    return arrival;
  }
  void reset() { next_.fill(0); }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(next_);
  }

 private:
  const base::Cycle latency_, interval_;
  std::array<base::Cycle, 32> next_{};  // by warp: the earliest cycle for its next instruction
};

}  // namespace spica::simt_core
