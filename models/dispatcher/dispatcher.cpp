// SPDX-License-Identifier: Apache-2.0
#include "models/dispatcher/dispatcher.h"

#include <algorithm>
#include <ostream>

#include "models/base/checkpoint.h"

namespace spica::dispatcher {

namespace {

/// Tells the barriers of the cluster, and an observer, of a work group.
template <class Barriers>
void announce(const WorkGroups::Given& given, Barriers& barriers, const protocol::Probed& block,
              base::Cycle now) {
  const Placement& place = given.place;
  if (place.barriers != 0) barriers[given.cluster]->share(place.first_barrier, place.barriers, place.cores());
  const protocol::WorkGroup& group = given.starts.front().group;
  if (protocol::ProbeIf* probe = block.probe())
    probe->on_group_start(now, block.source(),
                          {given.cluster, group.index, group.shared_base, place.shared_bytes,
                           place.first_barrier, place.barriers});
}

}  // namespace

Dispatcher::Dispatcher(const sc_core::sc_module_name& name, const DispatcherParams& params,
                       const base::ClockDomain& clock)
    : Component(name, clock),
      warps("warps", params.clusters * params.cores),
      barriers("barriers", params.clusters),
      params_(params),
      groups_(params) {
  ends.bind(*this);
}

void Dispatcher::launch(const protocol::GridLaunch& launch) {
  charge();
  full_ = false;
  if (groups_.empty()) ready_ = now() + params_.kernel_latency;
  groups_.launch(launch);
  ++stats_.grids;
  wake_at(std::max(ready_, now() + 1));
}

void Dispatcher::warp_ended(unsigned core, unsigned warp) {
  charge();
  if (groups_.ended(core, warp)) ready_ = now() + params_.kernel_latency;
  full_ = false;
  wake_next();
}

void Dispatcher::tick() {
  charge();
  starts_.take_due(now(), [this](const WarpStart& start) {
    ++stats_.warps;
    warps[start.core]->launch_warp(start.warp, start.pc, start.lanes, start.group);
  });
  if (ready_ <= now() && !full_) {
    for (std::uint64_t left = params_.groups_per_cycle; left != 0; --left) {
      auto given = groups_.give();
      full_ = !given;
      if (full_) break;
      give(*given);
    }
    if (!full_) wake_next();
  }
  wake_at(std::min(starts_.next(now()), ready_ > now() ? ready_ : base::kNever));
}

void Dispatcher::give(const WorkGroups::Given& given) {
  ++stats_.groups;
  announce(given, barriers, *this, now());
  const unsigned cores = static_cast<unsigned>(params_.cores);
  for (const WarpStart& start : given.starts)
    starts_.schedule(now(), now() + params_.launch_latency + start.group.rank / cores * params_.warp_interval,
                     start);
}

/// The cycles since the last call.
void Dispatcher::charge() {
  const base::Cycle cycles = now() - charged_;
  charged_ = now();
  stats_.group_cycles += groups_.resident() * cycles;
  if (full_ && groups_.waiting() != 0) stats_.full_cycles += cycles;
}

void Dispatcher::reset() {
  charge();
  groups_.reset();
  starts_.clear();
  ready_ = 0;
  full_ = false;
}

void Dispatcher::dump_state(std::ostream& out) const { out << groups_.describe(name()); }

void Dispatcher::architecture(base::Checkpoint& checkpoint) {
  checkpoint(groups_);
  if (!checkpoint.loads()) return;
  full_ = false;
  wake_next();
}

bool Dispatcher::timing(base::Checkpoint& checkpoint) {
  checkpoint(starts_, ready_, charged_, full_, stats_);
  return true;
}

FastDispatcher::FastDispatcher(const sc_core::sc_module_name& name, const DispatcherParams& params,
                               const protocol::LooseTime& time)
    : sc_module(name),
      warps("warps", params.clusters * params.cores),
      barriers("barriers", params.clusters),
      time_(time),
      groups_(params) {
  ends.bind(*this);
}

void FastDispatcher::launch(const protocol::GridLaunch& launch) {
  groups_.launch(launch);
  give_all();
}

void FastDispatcher::warp_ended(unsigned core, unsigned warp) {
  groups_.ended(core, warp);
  give_all();
}

void FastDispatcher::give_all() {
  while (const auto given = groups_.give()) {
    announce(*given, barriers, *this, time_.now);
    for (const WarpStart& start : given->starts)
      warps[start.core]->launch_warp(start.warp, start.pc, start.lanes, start.group);
  }
}

void FastDispatcher::dump_state(std::ostream& out) const { out << groups_.describe(name()); }

void FastDispatcher::architecture(base::Checkpoint& checkpoint) { checkpoint(groups_); }

}  // namespace spica::dispatcher
