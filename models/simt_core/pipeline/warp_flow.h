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

/// The effects of instructions on the pipeline: jumps, traps, starts, barriers and ends of warps.
///
/// A trap is precise and affects the whole warp: the instruction has no effect in any lane, older ones of the warp
/// complete, younger fetched ones are dropped. Mask and control flow are kept, so the handler runs with the active
/// lanes; mtval is the address of the lowest faulting lane.
class WarpFlow {
 public:
  /// Notifies the barrier synchronizer that all participants of this core have arrived at a barrier.
  using Arrive = std::function<void(unsigned id)>;
  /// Notifies the dispatcher that the warp has ended with no instruction in flight.
  using Ended = std::function<void(unsigned warp)>;

  WarpFlow(Context& core, FrontEnd& front_end, Scoreboard& scoreboard, IssueAccount& account, Arrive arrive,
           Ended ended)
      : core_(core),
        front_end_(front_end),
        scoreboard_(scoreboard),
        account_(account),
        arrive_(std::move(arrive)),
        ended_(std::move(ended)) {}

  /// Performs the effect of the instruction of warp `w` at `pc`. False: it was refused and has none.
  bool take(const Effect& effect, unsigned w, std::uint32_t pc) {
    if (effect.kind == Effect::Kind::kNext) return true;
    return take_unusual(effect, w, pc);
  }
  /// Redirects a warp: fetched instructions are dropped unless issued; a tensor instruction in progress continues.
  void redirect(unsigned w, std::uint32_t pc);
  /// All cores have arrived at the barrier. Returns the warps that continue, one bit each.
  std::uint32_t release(unsigned id);

  /// A branch, CSR instruction or warp control leaves its unit in cycle `due`; the warp may then fetch.
  void resolve_at(base::Cycle now, base::Cycle due, unsigned w) { resolutions_.schedule(now, due, 1u << w); }

  /// The warp starts at `pc`; `by`: the instruction that starts it, if any.
  void start(unsigned w, std::uint32_t pc, const protocol::Origin& by);
  /// Ends the warp, which has no lane left; `barriers`: of Effect.
  void end(unsigned w, std::uint32_t barriers) {
    if (core_.state[w].group.exists()) ending_ |= 1u << w;
    for (; barriers != 0; barriers &= barriers - 1)
      request_release(static_cast<unsigned>(__builtin_ctz(barriers)));
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
  void request_release(unsigned id) {
    requests_.schedule(core_.now(), core_.now() + core_.params.barrier_request_latency, id);
  }

  Context& core_;
  FrontEnd& front_end_;
  Scoreboard& scoreboard_;
  IssueAccount& account_;
  const Arrive arrive_;
  const Ended ended_;
  base::Calendar<unsigned> requests_;  // barrier ids on their way to the synchronizer
  base::Calendar<std::uint32_t> resolutions_;  // warps, one bit each, that may fetch again
  std::uint32_t ending_ = 0;  // ended warps of work groups with instructions in flight
};

}  // namespace spica::simt_core
