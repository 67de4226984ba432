// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/protocol/ports/gate_if.h"
#include "models/simt_core/pipeline/context.h"
#include "models/simt_core/pipeline/dispatcher.h"
#include "models/simt_core/pipeline/front_end.h"
#include "models/simt_core/pipeline/issue_scheduler.h"
#include "models/simt_core/pipeline/scoreboard.h"

namespace spica::simt_core {

/// Issue: each cycle the next instruction of every warp with available operands goes to its unit, lowest warp first;
/// with `issue: one`, only that of the warp selected by the scheduler.
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
  /// Tries to issue in cycle `now`.
  void tick(base::Cycle now, std::uint32_t candidates);

  void reset() { scheduler_.reset(); }

  /// Sets a gate that is called before each instruction; nullptr: none. Warps that the old gate stopped ask again.
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
  void record_issued(unsigned w, const Decoded& instruction, base::Cycle now);

  const Stages stages_;
  Context& core_;
  FrontEnd& front_end_;
  Scoreboard& scoreboard_;
  Dispatcher& units_;
  protocol::GateIf* gate_ = nullptr;  // nullptr: no debugger
  const std::uint32_t shown_;  // warps whose operands the load/store unit always sees
  const std::uint32_t asks_paths_;  // warps that check whether the path to their unit is free
  std::uint32_t watched_ = shown_ | asks_paths_;  // those, and warps that call the gate
  const bool one_;  // one warp issues per cycle
  IssueScheduler scheduler_;
};

}  // namespace spica::simt_core
