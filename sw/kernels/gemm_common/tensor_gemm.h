// SPDX-License-Identifier: Apache-2.0
// What the tensor-core kernels do around their k loops.
#pragma once

#include <simt.h>
#include <stdio.h>

#include "sw/kernels/gemm_common/gemm_arguments.h"
#include "sw/kernels/gemm_common/timed_region.h"
#include "sw/kernels/gemm_common/warp_tile.h"

// The loops over the tiles of C; "cycles: N" for all of them, by the driver.
//   TIMED_TILES(i, j, m, n) ... TIMED_TILES_END(driver, warps)
// i, j: first row and column of a tile. Macros, because with a function object gcc allocates other
// registers in the k loop, and a few instructions more or less there are 1 % of the time.
//
// What the markers enclose: all tiles to a barrier behind the last, as in the published FP32 kernels; with
// PUBLISHED_REGION in FP16 every k block, MARK_BLOCK_BEG() to MARK_BLOCK_END(): from the first of them to the last,
// without the first load of the DMA and the last store of C. In FP16 without it they begin at the first load: of the
// DMA, where its driver has configured it, MARK_FIRST_LOAD() (GEMM_MARKS_FIRST_LOAD), or at the head of a k block, of
// which the first counts.
#define MARK_FIRST_LOAD()
#if defined(GEMM_FP16) && defined(PUBLISHED_REGION)
#define MARK_BLOCK_BEG() MARK_BEG()
#define MARK_BLOCK_END() MARK_END()
#define MARK_TILES_BEG()
#define MARK_TILES_END()
#else
#define MARK_BLOCK_END()
#define MARK_TILES_END() MARK_END()
#if !defined(GEMM_FP16)
#define MARK_BLOCK_BEG()
#define MARK_TILES_BEG() MARK_BEG()
#elif defined(GEMM_MARKS_FIRST_LOAD)
#undef MARK_FIRST_LOAD
#define MARK_FIRST_LOAD() MARK_BEG()
#define MARK_BLOCK_BEG()
#define MARK_TILES_BEG()
#else
#define MARK_BLOCK_BEG() MARK_BEG()
#define MARK_TILES_BEG()
#endif
#endif
// Tiles are units of work, but for the warps that activate, which go through them in their own way. In FP16 marks would
// move registers of the k loop, 3 % of the time.
#if defined(GEMM_SWISH) || defined(GEMM_FP16)
#define MARK_TILE_LOOPS(m, n)
#define MARK_TILE(i, j)
#else
#define MARK_TILE_LOOPS(m, n) simt_units(m, kTileM), simt_units(n, kTileN)
#define MARK_TILE(i, j) i = simt_unit(i, kTileM), j = simt_unit(j, kTileN)
#endif
#define TIMED_TILES(i, j, m, n)                  \
  {                                              \
    const unsigned timed_ = simt_cycle();        \
    MARK_TILES_BEG();                            \
    MARK_TILE_LOOPS(m, n);                       \
    for (unsigned i = 0; i < m; i += kTileM) {   \
      for (unsigned j = 0; j < n; j += kTileN) { \
        MARK_TILE(i, j);
#define TIMED_TILES_END(driver, warps)            \
  }                                               \
  }                                               \
  simt_barrier(0, warps);                         \
  MARK_TILES_END();                               \
  const unsigned cycles_ = simt_cycle() - timed_; \
  SIMT_IF(driver)                                 \
    GEMM_PRINT_CYCLES(cycles_);                   \
  SIMT_END_IF                                     \
  }

GEMM_TILE(kTileM, kTileN, kTileK);

// Runs the kernel on all threads. Exit code 2: sizes, or a machine without that many threads
// in warps of 8.
static inline int run_tensor_gemm(volatile const GemmArguments& arguments, spawn_task kernel) {
  if (!gemm_sizes_fit(arguments, kTileM, kTileN, kTileK) || !warp_tiles_fit()) return 2;
  spawn_tasks(kGroups * kThreads, kernel, nullptr);
  return 0;
}
