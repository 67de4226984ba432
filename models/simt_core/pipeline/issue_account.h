// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/base/types.h"
#include "models/simt_core/pipeline/context.h"
#include "models/simt_core/pipeline/front_end.h"
#include "models/simt_core/pipeline/scoreboard.h"
#include "models/simt_core/stall_reason.h"

namespace spica::simt_core {

class Dispatcher;

/// Accounts of issue slots and warp states, for statistics, profile and probe. Reads the stages at the end of a cycle
/// and changes none.
class IssueAccount {
 public:
  IssueAccount(Context& core, const FrontEnd& front_end, const Scoreboard& scoreboard,
               const Dispatcher& units)
      : core_(core), front_end_(front_end), scoreboard_(scoreboard), units_(units) {}

  // -- during a cycle
  void begin_cycle() { issued_ = passed_over_ = 0; }
  /// An instruction of a warp, or a micro-op of one, issues.
  void issue(unsigned warp, std::uint32_t pc) {
    issued_ |= 1u << warp;
    pcs_[warp] = pc;
  }
  /// The warp's instruction at `pc` is refused.
  void refuse(unsigned warp, std::uint32_t pc) { pcs_[warp] = pc; }
  /// These warps are not tried, because another one has issued.
  void pass_over(std::uint32_t warps) { passed_over_ = warps; }
  /// The warp has issued something in this cycle.
  bool issued_now(unsigned warp) const { return (issued_ >> warp & 1) != 0; }
  /// Warps that have issued something in this cycle.
  std::uint32_t issued() const { return issued_; }
  /// The last instruction of a warp that issued or was refused.
  std::uint32_t pc(unsigned warp) const { return pcs_[warp]; }

  // -- at the end of a cycle
  /// Charges the cycle, and the time until the next tick if the core sleeps. `busy_next`: the core ticks in the next
  /// cycle.
  void charge(base::Cycle now, bool busy_next) {
    // Consecutive issuing cycles are charged once; a reset of the statistics keeps this reason.
    if (issued_ != 0 && issuing_ && busy_next && !core_.watchers.any()) return;
    charge_change(now, busy_next);
  }

  void reset(base::Cycle now);

  template <class Archive>
  void serialize(Archive& archive) {
    archive(issued_, passed_over_, issuing_, pcs_, reported_);
  }

 private:
  struct Waiting {
    unsigned warp;
    std::uint32_t pc;
  };
  struct Reported {
    IssueReason state = IssueReason::kNoWarp;
    std::uint32_t pc = 0;
  };
  void charge_change(base::Cycle now, bool busy_next);
  bool port_taken(base::Cycle now) const { return core_.third_port_taken == now; }
  IssueReason reason_to_wait() const;
  Waiting waiting_for(IssueReason reason) const;
  IssueReason doing(unsigned warp, bool port_taken) const;
  void notify_warps(base::Cycle now);
  std::uint32_t pc_of(unsigned warp, IssueReason doing) const;
  void notify_slot(IssueReason reason, const Waiting& waiting, base::Cycle from) const;

  std::uint32_t issued_ = 0;  // something of the warp issued in this cycle
  std::uint32_t passed_over_ = 0;  // warps that were not asked
  bool issuing_ = false;  // the last cycle charged is one in which something issued
  Context& core_;
  const FrontEnd& front_end_;
  const Scoreboard& scoreboard_;
  const Dispatcher& units_;
  std::array<std::uint32_t, 32> pcs_{};
  std::array<Reported, 32> reported_{};  // last reported to the probe, by warp
};

}  // namespace spica::simt_core
