// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "models/base/types.h"
#include "models/simt_core/simt_core_params.h"

namespace spica::simt_core {

/// The ways from the register file to the integer and to the floating-point units of a core whose tensor core takes
/// its operands by both (`shared_operand_paths`). Without that nobody asks or takes.
///
/// Source   raihan section IV.A
class OperandPaths {
 public:
  explicit OperandPaths(const Params& params)
      : alu_cycles_(params.packets(params.alu_lanes)), fpu_cycles_(params.packets(params.fpu_lanes)) {}

  /// An instruction for a unit of this kind can issue.
  bool free(UnitKind kind, base::Cycle now) const {
    return kind == UnitKind::kAlu   ? std::max(alu_, tensor_) <= now
           : kind == UnitKind::kFpu ? std::max(fpu_, tensor_) <= now
                                    : true;
  }
  /// It issues.
  void take(UnitKind kind, base::Cycle now) {
    if (kind == UnitKind::kAlu) alu_ = now + alu_cycles_;
    if (kind == UnitKind::kFpu) fpu_ = now + fpu_cycles_;
  }
  /// When a step of the tensor core can issue.
  base::Cycle free_for_tensor() const { return std::max(alu_, fpu_); }
  /// It issues, and takes both before cycle `end`.
  void take_for_tensor(base::Cycle end) { tensor_ = end; }

  void reset() { alu_ = fpu_ = tensor_ = 0; }

 private:
  const base::Cycle alu_cycles_, fpu_cycles_;  // that an instruction takes its way
  base::Cycle alu_ = 0, fpu_ = 0, tensor_ = 0;  // taken before this cycle
};

}  // namespace spica::simt_core
