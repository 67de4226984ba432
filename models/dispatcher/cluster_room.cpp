// SPDX-License-Identifier: Apache-2.0
#include "models/dispatcher/cluster_room.h"

#include <algorithm>

namespace spica::dispatcher {

namespace {

constexpr std::uint32_t kSharedAlignment = 128;  // so that groups lie on the banks alike

unsigned bits(std::uint32_t mask) { return static_cast<unsigned>(__builtin_popcount(mask)); }

/// The first gap of that length below `end`.
template <class Pieces>
std::optional<std::uint32_t> gap(const Pieces& taken, std::uint32_t length, std::uint32_t end) {
  std::uint32_t begin = 0;
  for (const auto& [at, bytes] : taken) {
    if (at - begin >= length) break;
    begin = at + bytes;
  }
  return end - begin >= length ? std::optional(begin) : std::nullopt;
}

}  // namespace

std::uint32_t Placement::cores() const {
  std::uint32_t mask = 0;
  for (const Warp& warp : warps) mask |= 1u << warp.core;
  return mask;
}

std::uint32_t Placement::warps_of(unsigned core) const {
  return static_cast<std::uint32_t>(
      std::count_if(warps.begin(), warps.end(), [core](const Warp& warp) { return warp.core == core; }));
}

ClusterRoom::ClusterRoom(const DispatcherParams& params)
    : cores_(static_cast<unsigned>(params.cores)),
      lanes_(static_cast<unsigned>(params.lanes)),
      one_kernel_(params.mix == Mix::kOneKernel),
      all_rows_(static_cast<std::uint32_t>(params.register_rows)),
      shared_bytes_(static_cast<std::uint32_t>(params.shared_bytes)),
      all_barriers_(static_cast<std::uint32_t>(params.barriers)),
      free_(params.cores, ~std::uint32_t{0} >> (32 - params.warps)),
      rows_(params.cores, static_cast<std::uint32_t>(params.register_rows)),
      slots_(params.cores * params.warps) {}

std::optional<unsigned> ClusterRoom::first_core(unsigned warps, std::uint32_t rows) const {
  std::optional<unsigned> best;
  unsigned most = 0;
  for (unsigned first = 0; first < cores_; ++first) {
    bool fits = true;
    unsigned room = 0;  // of the cores that get a warp more than others
    for (unsigned i = 0; i < cores_; ++i) {
      const unsigned core = (first + i) % cores_, count = warps / cores_ + (i < warps % cores_ ? 1 : 0);
      fits &= bits(free_[core]) >= count && (all_rows_ == 0 || rows_[core] >= count * rows);
      if (i < warps % cores_) room += bits(free_[core]);
    }
    if (!fits || (best && room <= most)) continue;
    best = first;
    most = room;
  }
  return best;
}

std::optional<Placement> ClusterRoom::take(const protocol::GridLaunch& launch, std::uint64_t kernel) {
  if ((one_kernel_ && groups_ != 0 && kernel_ != kernel) || (launch.matrix_unit != 0 && !matrix_unit_))
    return std::nullopt;
  const unsigned warps = launch.warps(lanes_);
  const std::uint32_t rows = all_rows_ == 0 ? 0 : launch.registers;
  const auto first = first_core(warps, rows);
  const std::uint32_t bytes =
      (launch.shared_bytes + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment;
  const auto shared = gap(shared_, bytes, shared_bytes_);
  const auto barrier = gap(barriers_, launch.barriers, all_barriers_);
  if (!first || !shared || !barrier) return std::nullopt;

  Placement place;
  place.rows = rows;
  place.slot = static_cast<std::uint32_t>(std::find(slots_.begin(), slots_.end(), false) - slots_.begin());
  place.shared_offset = *shared;
  place.shared_bytes = bytes;
  place.first_barrier = *barrier;
  place.barriers = launch.barriers;
  place.matrix_unit = launch.matrix_unit != 0;
  for (unsigned rank = 0; rank < warps; ++rank) {
    const unsigned core = (*first + rank) % cores_, warp = static_cast<unsigned>(__builtin_ctz(free_[core]));
    free_[core] &= ~(1u << warp);
    rows_[core] -= rows;
    place.warps.push_back({core, warp});
  }
  if (bytes != 0) shared_[place.shared_offset] = bytes;
  if (launch.barriers != 0) barriers_[place.first_barrier] = launch.barriers;
  if (place.matrix_unit) matrix_unit_ = false;
  slots_[place.slot] = true;
  ++groups_;
  kernel_ = kernel;
  return place;
}

void ClusterRoom::give_back(const Placement::Warp& warp, std::uint32_t rows) {
  free_[warp.core] |= 1u << warp.warp;
  rows_[warp.core] += rows;
}

void ClusterRoom::give_back(const Placement& placement) {
  if (placement.shared_bytes != 0) shared_.erase(placement.shared_offset);
  if (placement.barriers != 0) barriers_.erase(placement.first_barrier);
  matrix_unit_ |= placement.matrix_unit;
  slots_[placement.slot] = false;
  --groups_;
}

unsigned ClusterRoom::free_warps() const {
  unsigned count = 0;
  for (const std::uint32_t mask : free_) count += bits(mask);
  return count;
}

std::uint64_t occupancy(const DispatcherParams& params, const protocol::GridLaunch& launch) {
  ClusterRoom room(params);
  while (room.take(launch, 0)) continue;
  return room.groups();
}

}  // namespace spica::dispatcher
