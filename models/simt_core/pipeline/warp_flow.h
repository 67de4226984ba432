// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "models/base/calendar.h"
#include "models/simt_core/pipeline/context.h"
#include "models/simt_core/pipeline/front_end.h"
#include "models/simt_core/pipeline/issue_account.h"
#include "models/simt_core/pipeline/scoreboard.h"

namespace spica::simt_core {

/// What the effects of instructions do to the pipeline: jumps, traps, warps that start, meet at barriers and end.
///
/// A trap is precise and takes the whole warp: the instruction has no effect in any lane, older ones of the warp
/// finish, younger ones that were fetched are dropped. Mask and control flow stay, so the handler runs with the lanes
/// that were active; mtval has the address of the lowest lane at fault.
class WarpFlow {
 public:
  /// Tells the barrier synchronizer that this core's participants of a barrier have arrived.
  using Arrive = std::function<void(unsigned id)>;
  /// Tells the dispatcher of its work group that the warp has ended, and that nothing of it is under way.
  using Ended = std::function<void(unsigned warp)>;

  WarpFlow(Context& core, FrontEnd& front_end, Scoreboard& scoreboard, IssueAccount& account, Arrive arrive,
           Ended ended)
      : core_(core),
        front_end_(front_end),
        scoreboard_(scoreboard),
        account_(account),
        arrive_(std::move(arrive)),
        ended_(std::move(ended)) {}

  /// Does what the instruction of warp `w` at `pc` has as its effect. False: it was refused, and has none.
  bool take(const Effect& effect, unsigned w, std::uint32_t pc) {
    if (effect.kind == Effect::Kind::kNext) return true;
    return take_unusual(effect, w, pc);
  }
  /// Sends a warp elsewhere: what it has fetched but not issued is dropped; a tensor instruction that has begun
  /// continues.
  void redirect(unsigned w, std::uint32_t pc);
  /// All cores have arrived at the barrier.
  void release(unsigned id);

  /// A branch, CSR instruction or warp control of the warp has left its unit in cycle `due`: it may fetch.
  void resolve_at(base::Cycle now, base::Cycle due, unsigned w) { resolutions_.schedule(now, due, 1u << w); }

  /// The warp starts at `pc`; `by`: the instruction that starts it, if any.
  void start(unsigned w, std::uint32_t pc, const protocol::Origin& by);
  /// The warp has no lane left.
  void end(unsigned w) {
    if (core_.state[w].group.exists()) ending_ |= 1u << w;
  }

  bool idle() const { return requests_.empty() && resolutions_.empty() && ending_ == 0; }
  base::Cycle due(base::Cycle now) const {
    return requests_.empty() && resolutions_.empty() ? base::kNever
                                                     : std::min(requests_.next(now), resolutions_.next(now));
  }
  void tick(base::Cycle now) {
    if (!requests_.empty()) requests_.take_due(now, arrive_);
    if (!resolutions_.empty())
      resolutions_.take_due(now, [this](std::uint32_t warps) { front_end_.resolve(warps); });
    if (ending_ != 0) end_drained();
  }
  void reset() {
    requests_.clear();
    resolutions_.clear();
    ending_ = 0;
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(requests_, resolutions_, ending_);
  }

 private:
  bool take_unusual(const Effect& effect, unsigned w, std::uint32_t pc);
  void end_drained();
  void start_warps(const Effect& effect, unsigned by, std::uint32_t pc);
  void come_to_barrier(const Effect& effect, unsigned w, std::uint32_t pc);

  Context& core_;
  FrontEnd& front_end_;
  Scoreboard& scoreboard_;
  IssueAccount& account_;
  const Arrive arrive_;
  const Ended ended_;
  base::Calendar<unsigned> requests_;  // ids of barriers on their way to the synchronizer
  base::Calendar<std::uint32_t> resolutions_;  // warps, a bit each, that fetch again
  std::uint32_t ending_ = 0;  // warps of work groups that have ended, with instructions under way
};

}  // namespace spica::simt_core
