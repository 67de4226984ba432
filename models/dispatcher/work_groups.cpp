// SPDX-License-Identifier: Apache-2.0
#include "models/dispatcher/work_groups.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/invariant.h"

namespace spica::dispatcher {

using protocol::GridLaunch;
using protocol::Index3;

WorkGroups::WorkGroups(const DispatcherParams& params)
    : params_(params), rooms_(params.clusters, ClusterRoom(params)), order_(params) {}

void WorkGroups::launch(const GridLaunch& launch, base::Cycle ready) {
  grids_[++launched_].launch = launch;
  activate(ready);
}

/// The oldest active_kernels grids become active.
void WorkGroups::activate(base::Cycle ready) {
  std::uint64_t left = params_.active_kernels;
  for (auto grid = grids_.begin(); grid != grids_.end() && left != 0; ++grid, --left)
    if (grid->second.ready == base::kNever) grid->second.ready = ready;
}

std::optional<WorkGroups::Dispatched> WorkGroups::dispatch(base::Cycle now) {
  const auto turn = params_.policy == Policy::kRoundRobin ? grids_.upper_bound(turn_) : grids_.begin();
  for (auto grid = turn; grid != grids_.end(); ++grid)
    if (auto dispatched = dispatch_of(*grid, now)) return dispatched;
  for (auto grid = grids_.begin(); grid != turn; ++grid)
    if (auto dispatched = dispatch_of(*grid, now)) return dispatched;
  return std::nullopt;
}

std::optional<WorkGroups::Dispatched> WorkGroups::dispatch_of(Grids::value_type& entry, base::Cycle now) {
  Grid& grid = entry.second;
  if (!waits(grid) || grid.ready > now) return std::nullopt;
  for (const unsigned cluster : order_.order(grid.launch.clusters, rooms_))
    if (auto place = rooms_[cluster].take(grid.launch, entry.first)) {
      order_.took(cluster);
      return start(entry, cluster, std::move(*place));
    }
  return std::nullopt;
}

WorkGroups::Dispatched WorkGroups::start(Grids::value_type& entry, unsigned cluster, Placement place) {
  turn_ = entry.first;
  const GridLaunch& launch = entry.second.launch;
  const std::uint64_t number = sequence_ != nullptr ? sequence_->take() : entry.second.dispatched;
  ++entry.second.dispatched;
  const auto x = launch.grid[0], y = launch.grid[1];
  const auto lanes = static_cast<std::uint32_t>(params_.lanes);
  WarpStart start;
  start.pc = launch.startup;
  start.group.slot = place.slot;
  start.group.warps = launch.warps(lanes);
  start.group.index = {static_cast<std::uint32_t>(number % x), static_cast<std::uint32_t>(number / x % y),
                       static_cast<std::uint32_t>(number / x / y)};
  start.group.block = launch.block;
  start.group.grid = launch.grid;
  start.group.shared_base = static_cast<std::uint32_t>(params_.shared_base) + place.shared_offset;
  start.group.entry = launch.entry;
  start.group.argument = launch.argument;
  start.group.first_barrier = place.first_barrier;
  start.group.barriers = place.barriers;
  start.group.ended_warps_arrive = params_.ended_warps_arrive;

  Dispatched dispatched;
  dispatched.grid = launch.id;
  dispatched.first = entry.second.dispatched == 1;
  dispatched.last = !waits(entry.second);
  dispatched.cluster = cluster;
  dispatched.shared_bytes = launch.shared_bytes;
  const Key key{cluster, place.slot};
  for (unsigned rank = 0; rank < place.warps.size(); ++rank) {
    const Placement::Warp& warp = place.warps[rank];
    start.core = cluster * static_cast<unsigned>(params_.cores) + warp.core;
    start.warp = warp.warp;
    const std::uint32_t threads = std::min(lanes, launch.threads() - rank * lanes);
    start.lanes = ~std::uint32_t{0} >> (32 - threads);
    start.group.rank = rank;
    start.group.warps_of_core = place.warps_of(warp.core);
    owner_[{start.core, start.warp}] = key;
    dispatched.starts.push_back(start);
  }
  dispatched.place = place;
  groups_[key] = {cluster, std::move(place), dispatched.starts.size(), entry.first, number};
  return dispatched;
}

std::optional<std::uint32_t> WorkGroups::ended(unsigned core, unsigned warp, base::Cycle ready) {
  const auto owner = owner_.find({core, warp});
  SPICA_INVARIANT(owner != owner_.end());
  const auto group = groups_.find(owner->second);
  ClusterRoom& room = rooms_[group->second.cluster];
  room.give_back({core % static_cast<unsigned>(params_.cores), warp}, group->second.place.rows);
  owner_.erase(owner);
  if (--group->second.left != 0) return std::nullopt;
  room.give_back(group->second.place);
  const auto grid = grids_.find(group->second.grid);
  groups_.erase(group);
  if (++grid->second.ended < grid->second.dispatched || waits(grid->second)) return std::nullopt;
  const std::uint32_t id = grid->second.launch.id;
  grids_.erase(grid);
  activate(ready);
  return id;
}

std::optional<WorkGroups::Left> WorkGroups::leaves(unsigned core, unsigned warp) const {
  const Key key = owner_.at({core, warp});
  const Group& group = groups_.at(key);
  if (group.left == 1 || group.place.barriers == 0) return std::nullopt;
  const auto cores = static_cast<unsigned>(params_.cores);
  const unsigned here = core % cores;
  for (const Placement::Warp& other : group.place.warps) {
    if (other.core != here || other.warp == warp) continue;
    const auto owner = owner_.find({core, other.warp});
    if (owner != owner_.end() && owner->second == key) return std::nullopt;
  }
  return Left{group.cluster, here, group.place.first_barrier, group.place.barriers};
}

base::Cycle WorkGroups::next_ready(base::Cycle now) const {
  base::Cycle next = base::kNever;
  for (const auto& [number, grid] : grids_)
    if (grid.ready > now) next = std::min(next, grid.ready);
  return next;
}

std::uint64_t WorkGroups::waiting(base::Cycle at) const {
  std::uint64_t count = 0;
  for (const auto& [number, grid] : grids_)
    if (grid.ready <= at && waits(grid))
      count += grid.launch.groups() - std::min(grid.dispatched, grid.launch.groups() - 1);
  return count;
}

std::string WorkGroups::describe(const char* name) const {
  if (empty()) return "";
  std::string text =
      fmt::format("{}: {} work groups wait for room, {} have started\n", name, waiting(), resident());
  for (const auto& [key, group] : groups_) {
    const Index3& grid = grids_.at(group.grid).launch.grid;
    text += fmt::format("  work group ({}, {}, {}) on cluster {}: {} of {} warps run\n",
                        group.number % grid[0], group.number / grid[0] % grid[1],
                        group.number / grid[0] / grid[1], key.first, group.left, group.place.warps.size());
  }
  return text;
}

void WorkGroups::reset() {
  grids_.clear();
  turn_ = launched_ = 0;
  groups_.clear();
  owner_.clear();
  std::fill(rooms_.begin(), rooms_.end(), ClusterRoom(params_));
  order_.reset();
}

namespace {

/// The maximum number of warps of a core used by a group of `warps` warps.
std::uint64_t per_core(std::uint64_t warps, std::uint64_t cores) { return (warps + cores - 1) / cores; }

}  // namespace

std::vector<std::string> why_not(const DispatcherParams& params, const GridLaunch& launch) {
  std::vector<std::string> reasons;
  const std::uint64_t threads = protocol::volume(launch.block), groups = launch.groups();
  const std::uint64_t warps = (threads + params.lanes - 1) / params.lanes;
  if (threads == 0 || threads > GridLaunch::kMostThreads)
    reasons.push_back(fmt::format("a work group of {} threads; 1 to {} are possible", threads,
                                  params.cores * params.warps * params.lanes));
  else if (warps > params.cores * params.warps)
    reasons.push_back(fmt::format(
        "a work group of {} threads is {} warps of {} lanes, a cluster has {}: at most {} threads", threads,
        warps, params.lanes, params.cores * params.warps, params.cores * params.warps * params.lanes));
  if (groups == 0 || groups > GridLaunch::kMostGroups)
    reasons.push_back(
        fmt::format("a grid of {} work groups; 1 to {} are possible", groups, GridLaunch::kMostGroups));
  if (launch.shared_bytes > params.shared_bytes)
    reasons.push_back(fmt::format("a work group needs {} bytes of shared memory, a cluster has {}",
                                  launch.shared_bytes, params.shared_bytes));
  bool allowed = false;
  for (unsigned i = 0; i < params.clusters; ++i) allowed |= launch.clusters.allows(i);
  if (!allowed)
    reasons.push_back(fmt::format("its clusters, {}, are none of the machine, which has 0-{}",
                                  launch.clusters.text(), params.clusters - 1));
  if (launch.matrix_unit != 0 && params.matrix_units == 0)
    reasons.emplace_back("a work group needs a matrix unit, a cluster has none");
  if (launch.barriers > params.barriers)
    reasons.push_back(
        fmt::format("a work group needs {} barriers, a cluster has {}", launch.barriers, params.barriers));
  if (const std::uint64_t rows = per_core(warps, params.cores) * launch.registers;
      params.register_rows != 0 && rows > params.register_rows)
    reasons.push_back(fmt::format(
        "a work group needs {} registers per lane of a core ({} warps with {} each); there are {}", rows,
        per_core(warps, params.cores), launch.registers, params.register_rows));
  return reasons;
}

}  // namespace spica::dispatcher
