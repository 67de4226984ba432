// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/base/types.h"
#include "models/simt_core/core_stats.h"
#include "models/simt_core/load_store_unit.h"
#include "models/simt_core/pipeline/front_end.h"
#include "models/simt_core/pipeline/scoreboard.h"
#include "models/simt_core/pipeline/watchers.h"
#include "models/simt_core/stall_reason.h"
#include "models/simt_core/warp/core_state.h"

namespace spica::simt_core {

/// Where the cycles of the issue slots went, and what each warp does: for statistics, profile and probe. Looks at the
/// stages at the end of a cycle and changes none.
class IssueAccount {
 public:
  IssueAccount(const CoreIdentity& identity, const CoreState& state, const FrontEnd& front_end,
               const Scoreboard& scoreboard, const LoadStoreUnit& load_store, CoreStats& stats,
               const Watchers& watchers)
      : identity_(identity),
        state_(state),
        front_end_(front_end),
        scoreboard_(scoreboard),
        load_store_(load_store),
        stats_(stats),
        watchers_(watchers) {}

  // -- during a cycle
  void begin_cycle() { issued_ = 0; }
  /// Something of a warp issues: an instruction, or a micro-op of one.
  void issue(unsigned warp, std::uint32_t pc) {
    issued_ |= 1u << warp;
    pcs_[warp] = pc;
  }
  /// The warp's instruction is refused there.
  void refuse(unsigned warp, std::uint32_t pc) { pcs_[warp] = pc; }
  /// Counts an instruction that issues to one of the core's own units.
  void count(const Fetched& fetched, std::uint32_t mask);
  /// Warps that have issued something in this cycle.
  std::uint32_t issued() const { return issued_; }
  /// The last instruction of a warp that issued or was refused.
  std::uint32_t pc(unsigned warp) const { return pcs_[warp]; }

  // -- at the end of a cycle
  /// Charges the cycle, and the time until the next tick when the core sleeps. `port_taken`: nothing could issue,
  /// because the third register port was taken; `busy_next`: the core ticks in the next cycle.
  void charge(base::Cycle now, bool port_taken, bool busy_next);
  /// Notifies the probe of warps whose state changed.
  void tell_warps(base::Cycle now, bool port_taken);

  void reset(base::Cycle now);

 private:
  struct Waiting {
    unsigned warp;
    std::uint32_t pc;
  };
  struct Told {
    IssueReason state = IssueReason::kNoWarp;
    std::uint32_t pc = 0;
  };
  IssueReason reason_to_wait() const;
  Waiting who_waits(IssueReason reason) const;
  IssueReason doing(unsigned warp, bool port_taken) const;
  std::uint32_t pc_of(unsigned warp, IssueReason doing) const;
  void tell_slot(IssueReason reason, const Waiting& who, base::Cycle from) const;

  std::uint32_t issued_ = 0;  // something of the warp issued in this cycle
  bool issuing_ = false;  // the last cycle charged is one in which something issued
  const CoreIdentity& identity_;
  const CoreState& state_;
  const FrontEnd& front_end_;
  const Scoreboard& scoreboard_;
  const LoadStoreUnit& load_store_;
  CoreStats& stats_;
  const Watchers watchers_;
  std::array<std::uint32_t, 32> pcs_{};
  std::array<Told, 32> told_{};  // last reported to the probe, by warp
};

}  // namespace spica::simt_core
