// SPDX-License-Identifier: Apache-2.0
#include "models/dispatcher/dispatcher.h"

#include <algorithm>
#include <ostream>

#include "models/base/checkpoint.h"

namespace spica::dispatcher {

namespace {

using Progress = sc_core::sc_port<protocol::GridProgressIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;

/// Notifies the barriers of the cluster, and an observer, of a work group.
template <class Barriers>
void announce(const WorkGroups::Dispatched& dispatched, Barriers& barriers, const protocol::Probed& block,
              base::Cycle now) {
  const Placement& place = dispatched.place;
  if (place.barriers != 0)
    barriers[dispatched.cluster]->share(place.first_barrier, place.barriers, place.cores());
  protocol::ProbeIf* const probe = block.probe();
  if (probe == nullptr) return;
  const protocol::WorkGroup& group = dispatched.starts.front().group;
  protocol::WorkGroupStart start{
      dispatched.grid,     dispatched.cluster, group.index, group.shared_base, place.shared_bytes,
      place.first_barrier, place.barriers,     {},          place.matrix_unit, dispatched.shared_bytes};
  for (const WarpStart& warp : dispatched.starts) start.warps.push_back({warp.core, warp.warp});
  probe->on_group_start(now, block.source(), start);
}

/// Notifies the waiting parties of a grid.
void notify(const WorkGroups::Dispatched& dispatched, Progress& progress) {
  if (dispatched.grid == 0 || progress.size() == 0) return;
  if (dispatched.first) progress->grid_started(dispatched.grid);
  if (dispatched.last) progress->grid_dispatched(dispatched.grid);
}
/// A warp is about to leave its work group.
template <class Barriers>
void leave_barriers(const WorkGroups& groups, unsigned core, unsigned warp, Barriers& barriers) {
  if (const auto left = groups.leaves(core, warp))
    barriers[left->cluster]->leave(left->first_barrier, left->barriers, left->core);
}
void notify_end(const std::optional<std::uint32_t>& grid, Progress& progress) {
  if (grid.value_or(0) != 0 && progress.size() != 0) progress->grid_completed(*grid);
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
  const base::Cycle ready = now() + params_.kernel_latency;
  groups_.launch(launch, ready);
  ++stats_.grids;
  wake_at(std::max(ready, now() + 1));
}

void Dispatcher::warp_ended(unsigned core, unsigned warp) {
  charge();
  full_ = false;
  if (params_.ended_warps_arrive) leave_barriers(groups_, core, warp, barriers);
  notify_end(groups_.ended(core, warp, now() + params_.kernel_latency), progress);
  wake_next();
}

void Dispatcher::tick() {
  charge();
  starts_.take_due(now(), [this](const WarpStart& start) {
    ++stats_.warps;
    warps[start.core]->launch_warp(start.warp, start.pc, start.lanes, start.group);
  });
  if (ready_ <= now()) full_ = false;
  ready_ = groups_.next_ready(now());
  for (std::uint64_t left = full_ ? 0 : params_.groups_per_cycle; left != 0 && !full_; --left) {
    const auto dispatched = groups_.dispatch(now());
    full_ = !dispatched;
    if (dispatched) dispatch(*dispatched);
  }
  if (!full_) wake_next();
  wake_at(std::min(starts_.next(now()), ready_));
}

void Dispatcher::dispatch(const WorkGroups::Dispatched& dispatched) {
  ++stats_.groups;
  announce(dispatched, barriers, *this, now());
  const unsigned cores = static_cast<unsigned>(params_.cores);
  for (const WarpStart& start : dispatched.starts)
    starts_.schedule(now(), now() + params_.launch_latency + start.group.rank / cores * params_.warp_interval,
                     start);
  notify(dispatched, progress);
}

/// The cycles since the last call.
void Dispatcher::charge() {
  const base::Cycle cycles = now() - charged_;
  stats_.group_cycles += groups_.resident() * cycles;
  if (full_ && groups_.waiting(charged_) != 0) stats_.full_cycles += cycles;
  charged_ = now();
}

void Dispatcher::reset() {
  charge();
  groups_.reset();
  starts_.clear();
  ready_ = base::kNever;
  full_ = false;
}

void Dispatcher::dump_state(std::ostream& out) const { out << groups_.describe(name()); }

void Dispatcher::architecture(base::Checkpoint& checkpoint) {
  checkpoint(groups_);
  if (!checkpoint.loads()) return;
  charged_ = now();  // earlier cycles do not count
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
      params_(params),
      time_(time),
      groups_(params) {
  ends.bind(*this);
}

void FastDispatcher::launch(const protocol::GridLaunch& launch) {
  groups_.launch(launch);
  give_all();
}

void FastDispatcher::warp_ended(unsigned core, unsigned warp) {
  if (params_.ended_warps_arrive) leave_barriers(groups_, core, warp, barriers);
  notify_end(groups_.ended(core, warp), progress);
  give_all();
}

void FastDispatcher::give_all() {
  while (const auto dispatched = groups_.dispatch()) {
    announce(*dispatched, barriers, *this, time_.now);
    for (const WarpStart& start : dispatched->starts)
      warps[start.core]->launch_warp(start.warp, start.pc, start.lanes, start.group);
    notify(*dispatched, progress);
  }
}

void FastDispatcher::dump_state(std::ostream& out) const { out << groups_.describe(name()); }

void FastDispatcher::architecture(base::Checkpoint& checkpoint) { checkpoint(groups_); }

}  // namespace spica::dispatcher
