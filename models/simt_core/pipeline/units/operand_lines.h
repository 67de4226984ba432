// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/base/objects.h"
#include "models/base/types.h"
#include "models/simt_core/pipeline/units/dispatch_buffers.h"

namespace spica::simt_core {

/// The end of the lines: a unit with a dispatch buffer for one instruction per warp.
class LineEnd {
 public:
  virtual ~LineEnd() = default;
  /// True if the unit has no instruction of the warp.
  virtual bool free(unsigned warp) const = 0;
  /// The first cycle in which it can take one.
  virtual base::Cycle next(unsigned warp) const = 0;
  /// An instruction enters its free buffer; the unit can take it from cycle `entry.ready` on.
  virtual void enter(unsigned warp, const Dispatched& entry) = 0;
};

/// The operand stage: one line of instructions per warp, from issue to the dispatch buffers of all units. An
/// instruction whose buffer is occupied by an older one of its warp stays in the line and blocks all later ones,
/// whatever their unit.
///
/// Source   vortex core/VX_scoreboard.sv (staging), core/VX_operands_dup.sv, core/VX_dispatch.sv
class OperandLines {
 public:
  OperandLines(unsigned warps, std::uint64_t depth) : depth_(static_cast<unsigned>(depth)) {
    for (unsigned warp = 0; warp < warps; ++warp) lines_.emplace_back(depth);
    reset();
  }

  /// True if the line of the warp is blocked.
  bool stands(unsigned warp) const { return next_[warp] == base::kNever; }
  /// True if another instruction of the warp can issue.
  bool has_room(unsigned warp, base::Cycle now) const { return !stands(warp) || waiting(warp, now) < depth_; }
  /// True: it must wait until the line moves; false: it can issue in the next cycle.
  bool full(unsigned warp) const { return lines_[warp].full(); }
  /// The earliest cycle in which an instruction issued now reaches its unit; kNever: the line is blocked.
  base::Cycle next(unsigned warp) const { return next_[warp]; }
  /// An instruction reaches its unit in cycle `ready`; requires an unblocked line.
  void pass(unsigned warp, base::Cycle ready) { next_[warp] = ready + 1; }
  /// An instruction stays in the line; `entry.ready`: when its operands are available.
  void stay(unsigned warp, LineEnd& unit, const Dispatched& entry) {
    if (!stands(warp)) left_[warp] = next_[warp] - 1;
    next_[warp] = base::kNever;
    Waiting& last = lines_[warp].append();
    last.unit = &unit;
    last.entry = entry;
  }
  /// A unit has taken an instruction of a warp with a blocked line. True: others have moved up.
  bool move(unsigned warp) {
    base::BoundedQueue<Waiting>& line = lines_[warp];
    const LineEnd* taken = nullptr;  // a unit takes one at a time
    while (!line.empty()) {
      Waiting& first = line.front();
      if (first.unit == taken || !first.unit->free(warp)) break;
      taken = first.unit;
      first.entry.ready = std::max({first.entry.ready, first.unit->next(warp), left_[warp] + 1});
      left_[warp] = first.entry.ready;
      first.unit->enter(warp, first.entry);
      line.drop();
    }
    if (line.empty()) next_[warp] = left_[warp] + 1;
    return taken != nullptr;
  }
  void reset() {
    for (base::BoundedQueue<Waiting>& line : lines_) line.clear();
    next_.fill(1);
    left_.fill(0);
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(next_, left_);
    for (base::BoundedQueue<Waiting>& line : lines_) archive(line);
  }

 private:
  struct Waiting {
    LineEnd* unit = nullptr;
    Dispatched entry;
  };
  /// Number of waiting instructions; the one that moved last counts until the cycle before its unit can take it.
  unsigned waiting(unsigned warp, base::Cycle now) const {
    return static_cast<unsigned>(lines_[warp].size()) + (left_[warp] > now + 1 ? 1 : 0);
  }

  std::array<base::Cycle, 32> next_{};  // by warp
  std::array<base::Cycle, 32>
      left_{};  // by warp whose line is blocked: when the last one that moved is at its unit
  std::vector<base::BoundedQueue<Waiting>> lines_;
  const unsigned depth_;
};

}  // namespace spica::simt_core

SPICA_CHECKPOINT_POINTER(spica::simt_core::LineEnd, spica::simt_core::LineEnd)
