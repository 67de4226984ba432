// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "models/base/types.h"
#include "models/protocol/ports/lane_stream_if.h"
#include "models/simt_core/simt_core_params.h"

namespace spica::simt_core {

/// The paths from the register file to the integer and floating-point units of a core, if shared with others: a tensor
/// core that reads its operands through both (`shared_operand_paths`), or a neighbour (protocol::LaneStreamIf).
/// Otherwise no unit calls this.
///
/// Source   raihan section IV.A; ho section II.B
class OperandPaths {
 public:
  explicit OperandPaths(const Params& params)
      : shared_(params.shared_operand_paths),
        alu_cycles_(params.packets(params.alu_lanes)),
        fpu_cycles_(params.packets(params.fpu_lanes)) {}
  /// The other user of the floating-point lanes; nullptr: none. Call before the run.
  void connect(protocol::LaneStreamIf* neighbour) { neighbour_ = neighbour; }

  /// True if an instruction for a unit of this kind can issue.
  bool free(UnitKind kind, base::Cycle now) const {
    if (kind == UnitKind::kAlu) return std::max(alu_, tensor_) <= now;
    return kind != UnitKind::kFpu ||
           (std::max(fpu_, tensor_) <= now && (neighbour_ == nullptr || neighbour_->fits(now, fpu_cycles_)));
  }
  /// Records its issue.
  void take(UnitKind kind, base::Cycle now) {
    if (kind == UnitKind::kFpu && neighbour_ != nullptr) neighbour_->use(now, fpu_cycles_);
    if (!shared_) return;
    if (kind == UnitKind::kAlu) alu_ = now + alu_cycles_;
    if (kind == UnitKind::kFpu) fpu_ = now + fpu_cycles_;
  }
  /// The first cycle in which a step of the tensor core can issue.
  base::Cycle free_for_tensor() const { return std::max(alu_, fpu_); }
  /// Records its issue, which occupies both paths before cycle `end`.
  void take_for_tensor(base::Cycle end) {
    if (shared_) tensor_ = end;
  }

  void reset() { alu_ = fpu_ = tensor_ = 0; }

  /// Not saved: neighbour_, which saves itself.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(alu_, fpu_, tensor_);
  }

 private:
  const bool shared_;
  const base::Cycle alu_cycles_, fpu_cycles_;  // cycles for which an instruction occupies its path
  base::Cycle alu_ = 0, fpu_ = 0, tensor_ = 0;  // taken before this cycle
  protocol::LaneStreamIf* neighbour_ = nullptr;
};

}  // namespace spica::simt_core
