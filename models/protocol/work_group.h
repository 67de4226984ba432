// SPDX-License-Identifier: Apache-2.0
// Kernels that are launched as grids of work groups.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace spica::protocol {

/// x, y and z of a position or an extent.
using Index3 = std::array<std::uint32_t, 3>;

inline std::uint64_t volume(const Index3& extent) { return std::uint64_t{extent[0]} * extent[1] * extent[2]; }

/// A kernel to be run by all work groups of a grid, and what each of these needs (vortex-kmu VX_kmu.sv).
struct GridLaunch {
  std::uint32_t id = 0;        // what GridProgressIf calls it; for the launcher
  std::uint32_t startup = 0;   // pc at which warps start
  std::uint32_t entry = 0;     // of the kernel; for the program
  std::uint32_t argument = 0;  // for the program, in mscratch
  Index3 grid{1, 1, 1};        // work groups
  Index3 block{1, 1, 1};       // threads of a work group
  std::uint32_t shared_bytes = 0;  // of shared memory
  std::uint32_t registers = 0;     // of a thread
  std::uint32_t barriers = 1;      // ids
  std::uint32_t matrix_unit = 0;   // 1: the matrix units of the cluster are its own
  std::uint32_t clusters = 0;      // that may get some, a bit each; 0: all

  /// Bounds of each extent and of a block: numbers of groups and threads fit into a word.
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

/// What a warp of a work group knows of it; CSRs 0xCD0 to 0xCE1 (vortex-kmu VX_types.toml).
struct WorkGroup {
  std::uint32_t slot = 0;   // number among the work groups of its cluster
  std::uint32_t rank = 0;   // of the warp in it
  std::uint32_t warps = 0;  // of it; 0: the warp belongs to none
  Index3 index{};           // in the grid
  Index3 block{}, grid{};   // threads of it, work groups of the grid
  std::uint32_t shared_base = 0;  // address
  std::uint32_t entry = 0, argument = 0;
  std::uint32_t first_barrier = 0, barriers = 0;  // ids of the cluster that are its own
  std::uint32_t warps_of_core = 0;                // of it on the core of this warp

  bool exists() const { return warps != 0; }
  /// Its number in the grid, x fastest.
  std::uint64_t number() const { return (std::uint64_t{index[2]} * grid[1] + index[1]) * grid[0] + index[0]; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(slot, rank, warps, index, block, grid, shared_base, entry, argument, first_barrier, barriers,
            warps_of_core);
  }
};

/// A work group that a cluster gets.
struct WorkGroupStart {
  std::uint32_t grid = 0;          // GridLaunch::id
  unsigned cluster = 0;
  Index3 index{};                  // in the grid
  std::uint32_t shared_base = 0;   // its part of shared memory: address,
  std::uint32_t shared_bytes = 0;  // and size
  std::uint32_t first_barrier = 0, barriers = 0;  // of the cluster
  struct Warp {
    unsigned core, warp;  // core of the machine
  };
  std::vector<Warp> warps;  // that it runs on, by rank
  bool matrix_unit = false;  // the matrix units of the cluster are its own
  std::uint32_t declared_bytes = 0;  // of shared memory that the launch asks for; the part may be larger
};

}  // namespace spica::protocol
