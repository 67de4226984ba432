// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "platform/studies/experiment/gpu_file.h"
#include "platform/workloads/layer_list.h"

namespace spica::experiment {

/// The tiling of a matrix product: a thread block computes m x n of C, k by k, shared evenly by its warps.
struct GemmTile {
  std::uint64_t m, n, k;
  std::uint64_t warps_m, warps_n;

  std::uint64_t warps() const { return warps_m * warps_n; }
  std::string text() const;  // 128x128x32
};

enum class GemmUnit : std::uint8_t { kTensor, kLanes };
inline const char* name_of(GemmUnit unit) { return unit == GemmUnit::kTensor ? "tensor" : "lanes"; }

/// The tiles for tensor cores (lee table 3, warps as in cutlass tools/library/scripts/generator.py for SM70), and the
/// tile for lanes (lee section 5.1.1).
const std::vector<GemmTile>& tiles_of(GemmUnit unit);

/// Bytes between registers and the array of shared memory and level 1 cache, for a block and one tile of k.
struct TileTraffic {
  std::uint64_t ldg =
      0;  // global memory to registers; with asynchronous copies to shared memory, in one pass
  std::uint64_t sts = 0;  // registers to shared memory
  std::uint64_t lds_a = 0, lds_b = 0;  // shared memory to registers

  std::uint64_t total() const { return ldg + sts + lds_a + lds_b; }
};
TileTraffic tile_traffic(const GemmTile& tile, GemmUnit unit, const Gpu& gpu);

enum class MemoryLevel : std::uint8_t { kL1, kL2, kDram };
inline constexpr std::array<MemoryLevel, 3> kMemoryLevels{MemoryLevel::kL1, MemoryLevel::kL2,
                                                          MemoryLevel::kDram};
const char* name_of(MemoryLevel level);

/// A layer on a GPU with one tile.
struct LayerTraffic {
  GemmTile tile;
  std::uint64_t thread_blocks = 0;  // of one kernel
  std::uint64_t resident_blocks = 0;  // at the same time on a multiprocessor
  /// Utilisation of the places for blocks: the last round of blocks may leave some free.
  double tail_utilisation = 1;
  double ideal_seconds = 0;  // of the products alone, at the unit's peak rate
  /// Lower bound for any kernel: the slowest of the levels and the products, with the last round.
  double least_seconds = 0;
  std::string limited_by;  // "compute", or a memory level
  TileTraffic block;  // for one tile of k

  struct Level {
    double bytes = 0;
    double required = 0;  // GB/s; for level 1 per multiprocessor
    double limit = 0;  // available GB/s
  };
  std::array<Level, 3> levels;  // by MemoryLevel
};
/// A kernel computes `layer.batch` products.
LayerTraffic layer_traffic(const workloads::Layer& layer, const GemmTile& tile, GemmUnit unit,
                           const Gpu& gpu);
/// With the tile of the shortest time; ties: the fewest bytes, then the first one.
LayerTraffic best_traffic(const workloads::Layer& layer, const std::vector<GemmTile>& tiles, GemmUnit unit,
                          const Gpu& gpu);

}  // namespace spica::experiment
