// SPDX-License-Identifier: Apache-2.0
// Kernels that are launched as grids of work groups.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/protocol/host_queues/cluster_set.h"

namespace spica::protocol {

/// x, y and z of a position or an extent.
using Index3 = std::array<std::uint32_t, 3>;

inline std::uint64_t volume(const Index3& extent) { return std::uint64_t{extent[0]} * extent[1] * extent[2]; }

/// A kernel to be run by all work groups of a grid, and the resources of a work group (vortex-kmu VX_kmu.sv).
struct GridLaunch {
  std::uint32_t id = 0;  // its id in GridProgressIf; chosen by the launcher
  std::uint32_t startup = 0;  // pc at which warps start
  std::uint32_t entry = 0;  // entry point of the kernel; for the program
  std::uint32_t argument = 0;  // for the program, in mscratch
  Index3 grid{1, 1, 1};  // work groups of the grid
  Index3 block{1, 1, 1};  // threads of a work group
  std::uint32_t shared_bytes = 0;  // bytes of shared memory
  std::uint32_t registers = 0;  // registers of a thread
  std::uint32_t barriers = 1;  // barrier ids
  std::uint32_t matrix_unit = 0;  // 1: it needs the matrix units of the cluster for itself
  ClusterSet clusters;  // clusters that may run it

  /// Upper bounds of the extents of grid and block, such that numbers of groups and threads fit into a word.
  static constexpr std::uint64_t kMostGroups = std::uint64_t{1} << 31, kMostThreads = 1 << 16;

  std::uint64_t groups() const { return volume(grid); }
  std::uint32_t threads() const { return static_cast<std::uint32_t>(volume(block)); }
  std::uint32_t warps(std::uint32_t lanes) const { return (threads() + lanes - 1) / lanes; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(id, startup, entry, argument, grid, block, shared_bytes, registers, barriers, matrix_unit,
            clusters);
  }
};

/// What a warp can read about its work group; CSRs 0xCD0 to 0xCE1 (vortex-kmu VX_types.toml).
struct WorkGroup {
  std::uint32_t slot = 0;  // number among the work groups of its cluster
  std::uint32_t rank = 0;  // number of the warp in its work group
  std::uint32_t warps = 0;  // warps of the work group; 0: the warp belongs to none
  Index3 index{};  // position in the grid
  Index3 block{}, grid{};  // threads of a work group, work groups of the grid
  std::uint32_t shared_base = 0;  // address of its shared memory
  std::uint32_t entry = 0, argument = 0;
  std::uint32_t first_barrier = 0, barriers = 0;  // barrier ids of the cluster that it owns
  std::uint32_t warps_of_core = 0;  // its warps on the core of this warp
  bool ended_warps_arrive = false;  // its warps that have ended count as arrived at barriers of all its warps

  bool exists() const { return warps != 0; }
  /// Its number in the grid, x fastest.
  std::uint64_t number() const { return (std::uint64_t{index[2]} * grid[1] + index[1]) * grid[0] + index[0]; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(slot, rank, warps, index, block, grid, shared_base, entry, argument, first_barrier, barriers,
            warps_of_core, ended_warps_arrive);
  }
};

/// A work group that is dispatched to a cluster.
struct WorkGroupStart {
  std::uint32_t grid = 0;  // GridLaunch::id
  unsigned cluster = 0;
  Index3 index{};  // position in the grid
  std::uint32_t shared_base = 0;  // its part of shared memory: address
  std::uint32_t shared_bytes = 0;  // and size, in bytes
  std::uint32_t first_barrier = 0, barriers = 0;  // barrier ids of the cluster
  struct Warp {
    unsigned core, warp;  // core: number within the machine
  };
  std::vector<Warp> warps;  // its warps, by rank
  bool matrix_unit = false;  // it owns the matrix units of the cluster
  std::uint32_t declared_bytes =
      0;  // bytes of shared memory that the launch requested; the part may be larger
};

}  // namespace spica::protocol
