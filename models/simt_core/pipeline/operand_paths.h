// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "models/base/types.h"
#include "models/protocol/lane_stream_if.h"
#include "models/simt_core/simt_core_params.h"

namespace spica::simt_core {

/// The paths from the register file to the integer and to the floating-point units of a core, if others also use them:
/// a tensor core that has its operands by both (`shared_operand_paths`), or a second source of instructions for the
/// floating-point lanes (protocol::LaneStreamIf). Without these no unit asks or takes.
///
/// Source   raihan section IV.A; ho section II.B
class OperandPaths final : public protocol::LaneStreamIf {
 public:
  explicit OperandPaths(const Params& params)
      : shared_(params.shared_operand_paths),
        alu_cycles_(params.packets(params.alu_lanes)),
        fpu_cycles_(params.packets(params.fpu_lanes)) {}

  /// An instruction for a unit of this kind can issue.
  bool free(UnitKind kind, base::Cycle now) const {
    if (kind == UnitKind::kAlu) return std::max(alu_, tensor_) <= now;
    return kind != UnitKind::kFpu ||
           (std::max(fpu_, tensor_) <= now && (stream_.end <= now || fits_between(now)));
  }
  /// It issues.
  void take(UnitKind kind, base::Cycle now) {
    if (kind == UnitKind::kFpu) use_lanes(now);
    if (!shared_) return;
    if (kind == UnitKind::kAlu) alu_ = now + alu_cycles_;
    if (kind == UnitKind::kFpu) fpu_ = now + fpu_cycles_;
  }
  /// When a step of the tensor core can issue.
  base::Cycle free_for_tensor() const { return std::max(alu_, fpu_); }
  /// It issues, and takes both before cycle `end`.
  void take_for_tensor(base::Cycle end) {
    if (shared_) tensor_ = end;
  }

  // protocol::LaneStreamIf
  bool lanes_free(base::Cycle now) const override { return stream_.end <= now && use_.last <= now; }
  void stream(base::Cycle begin, unsigned count, unsigned interval) override {
    stream_ = {begin, begin + base::Cycle{count} * interval, interval};
  }
  Use own_use() const override { return use_; }

  void reset() {
    alu_ = fpu_ = tensor_ = 0;
    stream_ = {};
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(alu_, fpu_, tensor_, stream_, use_);
  }

 private:
  struct Stream {
    base::Cycle begin = 0, end = 0, interval = 1;
  };
  /// An instruction of the core finds the lanes free between two of the stream.
  bool fits_between(base::Cycle now) const {
    if (now < stream_.begin) return now + fpu_cycles_ <= stream_.begin;
    const base::Cycle place = (now - stream_.begin) % stream_.interval;
    return place >= fpu_cycles_ && place + fpu_cycles_ <= stream_.interval;
  }
  void use_lanes(base::Cycle now) {
    if (use_.cycles == 0 && use_.last == 0) use_.first = now;
    if (stream_.end <= now || now < stream_.begin) use_.cycles += fpu_cycles_;
    use_.last = now + fpu_cycles_;
  }

  const bool shared_;
  const base::Cycle alu_cycles_, fpu_cycles_;  // that an instruction takes its way
  base::Cycle alu_ = 0, fpu_ = 0, tensor_ = 0;  // taken before this cycle
  Stream stream_;
  Use use_;
};

}  // namespace spica::simt_core
