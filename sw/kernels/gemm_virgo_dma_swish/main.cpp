// SPDX-License-Identifier: Apache-2.0
// C = swish(A * B), FP32, with the cluster's matrix unit, its DMA and the SIMT cores, built as the
// published kernel is. gemm_virgo_dma_swish_overlapped is the better program.
//
// Shows: warp 0 of core 0 drives the unit as in gemm_virgo_dma; the other warps run through the same loop with
// nothing to do and then activate a tile in global memory (gemm_common/swish_parts.h), a part of 16 x 8 each, while
// the unit computes. Per output tile:
//   1. k loop of the driver;               meanwhile the others activate
//   2. the driver polls four times;
//   3. fence and barrier of all warps;
//   4. the driver gives the command that stores the tile, and does not wait for it.
// So the unit begins a tile only when all warps are through with the activation, and its driver shares its core
// with seven busy warps.
//
// Arguments: gemm_common/gemm_arguments.h, A, B and C row-major, sizes multiples of 64. Prints
// "cycles: N": from the first tile to the moment the last result is in global memory. Exit code 2:
// sizes, or a machine without 256 threads in warps of eight lanes.
#include <spawn.h>
#include <stdlib.h>

#include "sw/kernels/gemm_common/gemm_arguments.h"
#include "sw/kernels/gemm_common/swish_parts.h"
#include "sw/kernels/gemm_common/unit_gemm.h"

GEMM_ARGUMENTS(arguments);

using Tiles = unit_gemm::CommandTiles;
constexpr unsigned kTile = Tiles::kTileM, kBytes = unit_gemm::kBytes;
GEMM_TILE(kTile, kTile, kTile);
constexpr unsigned kWarps = 32, kLanes = SwishPart::kColumns;  // of the cluster
constexpr unsigned kParts = kTile / SwishPart::kRows * (kTile / SwishPart::kColumns);
static_assert(kTile == Tiles::kTileN && kParts == kWarps && kBytes == SwishPart::kBytes);

// Neighbouring warps are on different cores. The driver's part is done by the last warp of its core, after
// its own.
class Activation {
 public:
  Activation() : warp_(simt_warp() * simt_cores() + simt_core()) {}

  __attribute__((always_inline)) void tile(unsigned row, unsigned column) const {
    if (warp_ == 0) return;  // the same for all lanes of a warp
    constexpr unsigned kAcross = kTile / SwishPart::kColumns;
    const unsigned parts = warp_ == kWarps - simt_cores() ? 2 : 1;
    for (unsigned i = 0; i < parts; ++i) {
      const unsigned part = i == 0 ? warp_ : 0;
      SwishPart{static_cast<unsigned>(arguments.c), arguments.n * kBytes, part / kAcross * SwishPart::kRows,
                part % kAcross * SwishPart::kColumns}
          .activate(row, column);
    }
  }

 private:
  unsigned warp_;
};

static void kernel(unsigned, void*) {
  const unsigned m = arguments.m, n = arguments.n, k = arguments.k;
  const unsigned a = static_cast<unsigned>(arguments.a), b = static_cast<unsigned>(arguments.b);
  const unsigned c = static_cast<unsigned>(arguments.c);
  const unsigned driver = simt_hart() == 0, warps = simt_warps();
  const Activation activation;
  TilePosition<kTile, kTile> finished;  // what is activated next
  unsigned tiles = 0;

  SIMT_IF(driver)
    unit_gemm::configure<Tiles>(n, n, k);
  SIMT_END_IF
  simt_fence();

  const unsigned begin = simt_cycle();
  MARK_BEG();
  for (unsigned i = 0; i < m; i += kTile) {
    for (unsigned j = 0; j < n; j += kTile) {
      SIMT_IF(driver)
        Tiles::begin(k, n);
      SIMT_END_IF
      for (unsigned tile = 0; tile < k / kTile; ++tile) {
        SIMT_IF(driver)
          unit_gemm::multiply_step<Tiles>(tile, a + (i * k + tile * kTile) * kBytes,
                                          b + (tile * kTile * n + j) * kBytes, n, k);
        SIMT_END_IF
      }
      if (tiles >= 2) {
        activation.tile(finished.row, finished.column);
        finished.next(n);
      }
      SIMT_IF(driver)
        unit_gemm::wait_until_idle<Tiles>();
      SIMT_END_IF
      simt_barrier(0, warps);
      SIMT_IF(driver)
        unit_gemm::store_tile<Tiles>(c + (i * n + j) * kBytes, n);
      SIMT_END_IF
      ++tiles;
    }
  }
  if (tiles >= 2) {
    activation.tile(finished.row, finished.column);
    finished.next(n);
  }
  SIMT_IF(driver)
    unit_gemm::wait_until_idle<Tiles>();
  SIMT_END_IF
  simt_barrier(0, warps);
  activation.tile(finished.row, finished.column);
  simt_barrier(0, warps);
  MARK_END();
  const unsigned cycles = simt_cycle() - begin;
  SIMT_IF(driver)
    GEMM_PRINT_CYCLES(cycles);
  SIMT_END_IF
  simt_barrier(0, warps);
  GEMM_EXIT();  // every warp ends here, as in the published kernels
}

GEMM_MAIN(arguments) {
  if (!gemm_sizes_fit(arguments, kTile)) return 2;
  if (simt_lanes() != kLanes || spawn_threads() != kWarps * kLanes) {
    if (simt_core() == 0)
      printf("%u threads in warps of %u, needed are %u in warps of %u\n", spawn_threads(), simt_lanes(),
             kWarps * kLanes, kLanes);
    return 2;
  }
  spawn_tasks(spawn_threads(), kernel, nullptr);
  return 0;
}
