// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/protocol/gate_if.h"
#include "models/simt_core/pipeline/context.h"
#include "models/simt_core/pipeline/dispatcher.h"
#include "models/simt_core/pipeline/front_end.h"
#include "models/simt_core/pipeline/scoreboard.h"

namespace spica::simt_core {

/// Issue: each cycle the next instruction of every warp whose operands are there goes to its unit, lowest warp first.
///
/// Order    in order per warp
/// Source   vortex core/VX_issue.sv, core/VX_scoreboard.sv
class IssueStage {
 public:
  IssueStage(const Stages& stages, FrontEnd& front_end, Dispatcher& units)
      : stages_(stages),
        core_(stages.core),
        front_end_(front_end),
        scoreboard_(stages.scoreboard),
        units_(units) {}

  /// Warps that may have an instruction to issue.
  std::uint32_t candidates() const { return scoreboard_.unblocked(front_end_.buffered()); }
  bool due_next(base::Cycle now) const {
    return candidates() != 0 && !core_.state.halted() && core_.third_port_taken != now;
  }
  /// Tries them in cycle `now`.
  void tick(base::Cycle now, std::uint32_t candidates);

  /// Asks `gate` before each instruction, from now on; nullptr: none. Warps it has held ask again.
  void set_gate(protocol::GateIf* gate);
  /// A debugger, or an instruction, may have changed mstatus of the warp.
  void note_state(unsigned w) {
    const std::uint32_t bit = 1u << w;
    float_watch_ = core_.state[w].machine.watches_floats() ? float_watch_ | bit : float_watch_ & ~bit;
    watch();
  }
  void reset() {
    float_watch_ = 0;
    watch();
  }

 private:
  bool try_issue(unsigned w, const Fetched& fetched, base::Cycle now, bool last);
  void watch() { watched_ = gate_ != nullptr ? ~std::uint32_t{0} : float_watch_; }
  bool may_issue(unsigned w, const Fetched& fetched);
  bool goes_on(unsigned w, std::uint32_t pc);
  bool passes_gate(unsigned w, const Fetched& fetched);
  void note_issued(unsigned w, const Decoded& instruction);

  const Stages stages_;
  Context& core_;
  FrontEnd& front_end_;
  Scoreboard& scoreboard_;
  Dispatcher& units_;
  protocol::GateIf* gate_ = nullptr;  // nullptr: no debugger
  std::uint32_t float_watch_ = 0;  // warps whose MachineMode::watches_floats()
  std::uint32_t watched_ = 0;  // these, and with a gate all
};

}  // namespace spica::simt_core
