// SPDX-License-Identifier: Apache-2.0
#include "models/dispatcher/work_groups.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/invariant.h"

namespace spica::dispatcher {

using protocol::GridLaunch;
using protocol::Index3;

WorkGroups::WorkGroups(const DispatcherParams& params)
    : params_(params), rooms_(params.clusters, ClusterRoom(params)) {}

std::optional<WorkGroups::Given> WorkGroups::give() {
  if (grids_.empty() || grids_.front().given == grids_.front().launch.groups()) return std::nullopt;
  Grid& grid = grids_.front();
  std::vector<unsigned> order(rooms_.size());
  for (unsigned i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [this](unsigned a, unsigned b) {
    return rooms_[a].free_warps() > rooms_[b].free_warps();
  });
  for (const unsigned cluster : order)
    if (auto place = rooms_[cluster].take(grid.launch))
      return start(grid.launch, grid.given++, cluster, std::move(*place));
  return std::nullopt;
}

WorkGroups::Given WorkGroups::start(const GridLaunch& launch, std::uint64_t number, unsigned cluster,
                                    Placement place) {
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

  Given given;
  given.cluster = cluster;
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
    given.starts.push_back(start);
  }
  given.place = place;
  groups_[key] = {cluster, std::move(place), given.starts.size(), number};
  return given;
}

bool WorkGroups::ended(unsigned core, unsigned warp) {
  const auto owner = owner_.find({core, warp});
  SPICA_INVARIANT(owner != owner_.end());
  const auto group = groups_.find(owner->second);
  ClusterRoom& room = rooms_[group->second.cluster];
  room.give_back({core % static_cast<unsigned>(params_.cores), warp}, group->second.place.rows);
  owner_.erase(owner);
  if (--group->second.left != 0) return false;
  room.give_back(group->second.place);
  groups_.erase(group);
  Grid& grid = grids_.front();
  if (++grid.ended < grid.launch.groups()) return false;
  grids_.pop_front();
  return true;
}

std::uint64_t WorkGroups::waiting() const {
  std::uint64_t count = 0;
  for (const Grid& grid : grids_) count += grid.launch.groups() - grid.given;
  return count;
}

std::string WorkGroups::describe(const char* name) const {
  if (empty()) return "";
  std::string text =
      fmt::format("{}: {} work groups wait for room, {} have started\n", name, waiting(), resident());
  for (const auto& [key, group] : groups_) {
    const Index3& grid = grids_.front().launch.grid;
    text += fmt::format("  work group ({}, {}, {}) on cluster {}: {} of {} warps run\n",
                        group.number % grid[0], group.number / grid[0] % grid[1],
                        group.number / grid[0] / grid[1], key.first, group.left, group.place.warps.size());
  }
  return text;
}

void WorkGroups::reset() {
  grids_.clear();
  groups_.clear();
  owner_.clear();
  std::fill(rooms_.begin(), rooms_.end(), ClusterRoom(params_));
}

namespace {

/// The largest part of the cluster's warps that a group of `warps` warps takes of a core.
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
  if (launch.barriers > params.barriers)
    reasons.push_back(
        fmt::format("a work group needs {} barriers, a cluster has {}", launch.barriers, params.barriers));
  if (const std::uint64_t rows = per_core(warps, params.cores) * launch.registers;
      params.register_rows != 0 && rows > params.register_rows)
    reasons.push_back(fmt::format(
        "a work group needs {} registers of each lane of a core, for {} warps of {}; there are {}", rows,
        per_core(warps, params.cores), launch.registers, params.register_rows));
  return reasons;
}

}  // namespace spica::dispatcher
