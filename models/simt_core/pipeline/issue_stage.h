// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/protocol/gate_if.h"
#include "models/simt_core/pipeline/context.h"
#include "models/simt_core/pipeline/dispatcher.h"
#include "models/simt_core/pipeline/front_end.h"
#include "models/simt_core/pipeline/issue_scheduler.h"
#include "models/simt_core/pipeline/scoreboard.h"

namespace spica::simt_core {

/// Issue: each cycle the next instruction of every warp whose operands are there goes to its unit, lowest warp first;
/// or that of one warp (`issue: one`), which the scheduler chooses.
///
/// Order    in order per warp
/// Source   vortex core/VX_issue.sv, core/VX_scoreboard.sv; raihan section I.A (one)
class IssueStage {
 public:
  IssueStage(const Stages& stages, FrontEnd& front_end, Dispatcher& units)
      : stages_(stages),
        core_(stages.core),
        front_end_(front_end),
        scoreboard_(stages.scoreboard),
        units_(units),
        shown_(stages.core.params.load_store.stale_fence_entries != 0 ? 1 : 0),
        asks_paths_(stages.core.params.shared_operand_paths || stages.core.params.lane_stream
                        ? ~std::uint32_t{0}
                        : 0),
        one_(stages.core.params.issue == Issue::kOne),
        scheduler_(stages.core.params.scheduler) {}

  /// Warps that may have an instruction to issue.
  std::uint32_t candidates() const { return scoreboard_.unblocked(front_end_.buffered()); }
  bool due_next(base::Cycle now) const {
    return candidates() != 0 && !core_.state.halted() && core_.third_port_taken != now;
  }
  /// Tries them in cycle `now`.
  void tick(base::Cycle now, std::uint32_t candidates);

  void reset() { scheduler_.reset(); }

  /// Asks `gate` before each instruction, from now on; nullptr: none. Warps it has held ask again.
  void set_gate(protocol::GateIf* gate);

  /// Not saved: watched_, which follows from the gate.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(scheduler_);
  }

 private:
  void issue_one(base::Cycle now, std::uint32_t candidates);
  bool attempt(unsigned w, base::Cycle now, bool last);
  bool try_issue(unsigned w, const Fetched& fetched, base::Cycle now, bool last);
  bool may_issue(unsigned w, const Fetched& fetched, base::Cycle now);
  bool continues(unsigned w, const Fetched& fetched);
  bool passes_gate(unsigned w, const Fetched& fetched);
  void note_issued(unsigned w, const Decoded& instruction, base::Cycle now);

  const Stages stages_;
  Context& core_;
  FrontEnd& front_end_;
  Scoreboard& scoreboard_;
  Dispatcher& units_;
  protocol::GateIf* gate_ = nullptr;  // nullptr: no debugger
  const std::uint32_t shown_;  // warps whose operands the load/store unit looks at without need
  const std::uint32_t asks_paths_;  // warps that look whether the way to their unit is free
  std::uint32_t watched_ = shown_ | asks_paths_;  // those, and warps that ask the gate
  const bool one_;  // one warp issues per cycle
  IssueScheduler scheduler_;
};

}  // namespace spica::simt_core
