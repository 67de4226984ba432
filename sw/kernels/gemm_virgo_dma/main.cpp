// SPDX-License-Identifier: Apache-2.0
// C = A * B with the cluster's matrix unit and its DMA.
//
// Shows: one hardware thread (thread 0 of core 0) drives the unit; while the unit computes on one
// pair of tiles in shared memory the DMA loads the next pair (gemm_common/unit_gemm.h, which also
// lists the defines of the kernel). With GEMM_EPILOGUE the other warps finish its results
// (gemm_common/unit_epilogue.h).
//
// Arguments: gemm_common/gemm_arguments.h, A, B and C row-major, all of the unit's element type (A and B otherwise with
// GEMM_RESHAPED, gemm_common/reshaped_operands.h), sizes multiples of the tile. Prints "cycles: N": from the first tile
// to the moment the last result is in global memory; with hexadecile commands and PUBLISHED_REGION from the
// configuration of loads and stores to the last store command (with GEMM_EPILOGUE to the last result). Exit code 2 when
// the sizes are not multiples of the tile.
#include <spawn.h>
#include <stdlib.h>

#include "sw/kernels/gemm_common/gemm_arguments.h"
#include "sw/kernels/gemm_common/gemm_strides.h"
#include "sw/kernels/gemm_common/timed_region.h"
#include "sw/kernels/gemm_common/unit_gemm.h"
#ifdef GEMM_EPILOGUE
#include "sw/kernels/gemm_common/unit_epilogue.h"
#endif

GEMM_ARGUMENTS(arguments);
#ifdef GEMM_RESHAPED
BUILT_FOR("gemm.reshaped", 1);
#endif

#ifdef GEMM_EPILOGUE
using Tiles = unit_gemm::EpilogueTiles;
#else
using Tiles = unit_gemm::CommandTiles;
#endif
GEMM_TILE(Tiles::kTileM, Tiles::kTileN, Tiles::kTileK);
constexpr unsigned kBytes = unit_gemm::kBytes;
// The published kernel times, from v2 on, from behind the execute configuration to the last store command, which is not
// waited for.
#ifdef PUBLISHED_REGION
constexpr bool kCommands = Tiles::kHexadecile;
#else
constexpr bool kCommands = false;
#endif

static unsigned multiply() {
  const unsigned m = arguments.m, n = arguments.n, k = arguments.k;
  const unsigned a = static_cast<unsigned>(arguments.a), b = static_cast<unsigned>(arguments.b);
  const unsigned c = static_cast<unsigned>(arguments.c);
  const unsigned lda = gemm_lda(arguments, OperandA::row(m, k)),
                 ldb = gemm_ldb(arguments, OperandB::row(k, n));
  const unsigned ldc = gemm_ldc(arguments, n);
#ifdef GEMM_RESHAPED
  const auto configure_moves = [=] { unit_gemm::configure_moves<Tiles>(arguments, ldc, ldb, lda); };
  matrix_unit_config_execute(Tiles::kUnit);
  if (!kCommands) configure_moves();
#else
  const auto configure_moves = [=] { unit_gemm::configure_moves<Tiles>(ldc, ldb, lda); };
  if (!kCommands) unit_gemm::configure<Tiles>(ldc, ldb, lda);
  else matrix_unit_config_execute(Tiles::kUnit);
#endif
  const unsigned begin = simt_cycle();
  MARK_BEG();
  if (kCommands) configure_moves();
#ifndef GEMM_EPILOGUE  // with it other warps finish the tiles, in their own order
  simt_units(m, Tiles::kTileM);
  simt_units(n, Tiles::kTileN);
#endif
  for (unsigned i = 0; i < m; i += Tiles::kTileM) {
    for (unsigned j = 0; j < n; j += Tiles::kTileN) {
#ifndef GEMM_EPILOGUE
      i = simt_unit(i, Tiles::kTileM);
      j = simt_unit(j, Tiles::kTileN);
#endif
#if defined(GEMM_STRIDED) || defined(GEMM_RESHAPED)
      unit_gemm::multiply_strided_tile<Tiles>(a + OperandA::at(i, 0, lda), b + OperandB::at(0, j, ldb), ldb,
                                              lda, k,
                                              [](unsigned at) { return gemm_column_of_a(arguments, at); });
#else
      unit_gemm::multiply_tile<Tiles>(a + i * k * kBytes, b + j * kBytes, n, k);
#endif
#ifdef GEMM_EPILOGUE
      (void)c;
      Tiles::hand_over();
#else
      unit_gemm::store_tile<Tiles>(c + (i * ldc + j) * kBytes, ldc);
#endif
    }
  }
#ifdef GEMM_EPILOGUE
  unit_gemm::wait_until_idle<Tiles>();
  Tiles::computing(0);
  simt_barrier(unit_gemm::kDone, simt_warps());
#else
  if (!kCommands) unit_gemm::wait_until_idle<Tiles>();
#endif
  MARK_END();
  const unsigned cycles = simt_cycle() - begin;
  if (kCommands) unit_gemm::wait_until_idle<Tiles>();
  return cycles;
}

static void kernel(unsigned, void*) {
  // From v2 on the threads that have nothing to do stop at once, before they wait at the barriers
  // at the end. The condition is the same for all lanes of a warp.
#if !defined(GEMM_BATCHED) && !defined(GEMM_EPILOGUE)
  if (Tiles::kHexadecile) {
    if (simt_core() != 0 || simt_warp() != 0) exit(0);
    simt_tmc(1);
    GEMM_PRINT_CYCLES(multiply());
    exit(0);
  }
#endif
#ifdef GEMM_EPILOGUE
  // The condition is the same for all lanes of a warp. Neighbouring workers are on different cores.
  const unsigned warp = simt_warp() * simt_cores() + simt_core();
  if (warp != 0) {
    unit_gemm::finish_tiles(arguments, warp - 1, simt_warps() * simt_cores() - 1);
    exit(0);
  }
  simt_tmc(1);
  GEMM_PRINT_CYCLES(multiply());
  exit(0);
#endif
  const unsigned driver = simt_hart() == 0;
  unsigned cycles = 0;
  SIMT_IF(driver)
    cycles = multiply();
  SIMT_END_IF
  simt_barrier(0, simt_warps());
  SIMT_IF(driver)
    GEMM_PRINT_CYCLES(cycles);
  SIMT_END_IF
  simt_barrier(0, simt_warps());
  GEMM_EXIT();  // every warp ends here, as in the published kernels
}

GEMM_MAIN(arguments) {
  if (!gemm_sizes_fit(arguments, Tiles::kTileM, Tiles::kTileN, Tiles::kTileK)) return 2;
#ifdef GEMM_EPILOGUE
  if (unit_gemm::Finisher::kBlock % simt_lanes() != 0 || simt_warps() * simt_cores() == 1) {
    if (simt_core() == 0)
      printf("%u warps of %u lanes, needed are two, and lanes that divide %u\n", simt_warps() * simt_cores(),
             simt_lanes(), unit_gemm::Finisher::kBlock);
    return 2;
  }
#endif
  spawn_tasks(spawn_threads(), kernel, nullptr);
  return 0;
}
