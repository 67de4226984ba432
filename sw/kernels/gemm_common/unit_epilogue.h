// SPDX-License-Identifier: Apache-2.0
// A product on the matrix unit whose elements the SIMT cores finish (epilogue.h) while the unit works on the next tile.
//
// The two buffers of A and B fill shared memory, so a finished tile of C has the place of a tile of A for a while (that
// of buffer 0). An output tile begins with buffer 1:
//
//   driver       ... store C | load k0 | compute k0      | load k1, compute k1 ...
//   buffer 0, A   C of the tile before, until it is read | A of k1
//   other warps   (wait)               | C to registers  | finish it, write it to global memory
//   barriers                        stored            drained
//
// so that the unit waits only when the warps take longer for a tile than it does for one step along k.
#pragma once

#include <simt.h>

#include "sw/kernels/gemm_common/epilogue.h"
#include "sw/kernels/gemm_common/gemm_strides.h"
#include "sw/kernels/gemm_common/unit_gemm.h"

#ifdef GEMM_EPILOGUE
namespace unit_gemm {

constexpr unsigned kStored = 0, kDrained = 1, kDone = 2;  // barriers of all warps

/// When it computes on the first tile along k, the output tile before is handed over; for the first one there is none.
struct EpilogueTiles : CommandTilesFrom<1> {
  /// The accumulator to shared memory.
  static void hand_over() {
    if (kHexadecile) matrix_unit_h_store_spad(kUnit, 0);
    else matrix_unit_cisc(kUnit, MATRIX_UNIT_Q_STORE_SPAD);
  }
  static void computing(unsigned tile) {
    if (tile != 0) return;
    simt_barrier(kStored, simt_warps());
    simt_barrier(kDrained, simt_warps());
  }
};

/// The part of a warp of the output tiles, which are in shared memory in blocks of kDim x kDim: as many neighbours of a
/// block as it has lanes, in some blocks below each other, so that addresses go up evenly. These runs go round the
/// workers.
class Finisher {
 public:
  using Tiles = EpilogueTiles;
  using Sum = StoredSum;
  static_assert(kBytes == sizeof(Sum), "C is stored as GEMM_*_SUMS say");
  static_assert(Tiles::kTileM * Tiles::kTileN * kBytes <= PLATFORM_SHARED_SIZE / 4,
                "C has the room of a tile of A");
  static constexpr unsigned kBlock = Tiles::kDim * Tiles::kDim;

  Finisher(volatile const GemmArguments& arguments, unsigned worker, unsigned workers)
      : epilogue_(arguments),
        c_(reinterpret_cast<Epilogue::Output*>(static_cast<uintptr_t>(arguments.c))),
        ldc_(gemm_ldc(arguments, arguments.n)),
        worker_(worker),
        workers_(workers),
        runs_(kBlock / simt_lanes() * kAcross * kGroups) {}

  /// The tile that begins in that row and column. drained() is called when all of it is read: as much as registers hold
  /// is finished behind that.
  template <class Drained>
  __attribute__((always_inline)) void tile(unsigned row, unsigned column, const Drained& drained) const {
    unsigned run = worker_;  // bounds are the same for all lanes of a warp
    for (; run + kHeld * workers_ < runs_; run += workers_) {
      Sum sums[kRows];
      load(run, sums);
      finish(run, row, column, sums);
    }
    Sum held[kHeld][kRows];
#pragma GCC unroll 8
    for (unsigned i = 0; i < kHeld; ++i)
      if (run + i * workers_ < runs_) load(run + i * workers_, held[i]);
    drained();
#pragma GCC unroll 8
    for (unsigned i = 0; i < kHeld; ++i)
      if (run + i * workers_ < runs_) finish(run + i * workers_, row, column, held[i]);
  }

 private:
  static constexpr unsigned kHeld = 5;
  static constexpr unsigned kAcross = Tiles::kTileN / Tiles::kDim, kDown = Tiles::kTileM / Tiles::kDim;
  static constexpr unsigned kRows = kDown % 4 == 0 ? 4 : kDown % 2 == 0 ? 2 : 1, kGroups = kDown / kRows;

  // Of a run: its place among the blocks, and of this lane in its block.
  static unsigned first_block(unsigned run) { return run / kAcross % kGroups * kRows; }
  static unsigned in_block(unsigned run) { return run / kAcross / kGroups * simt_lanes() + simt_lane(); }

  SIMT_INLINE auto number_of(Sum sum) {
#if defined(GEMM_FP16_SUMS)
    return fp16_bits_to_float(sum);
#elif defined(GEMM_BF16_SUMS)
    return bf16_bits_to_float(sum);
#else
    return sum;
#endif
  }

  __attribute__((always_inline)) static void load(unsigned run, Sum* sums) {
    const auto* const from = reinterpret_cast<const volatile Sum*>(PLATFORM_SHARED_BASE) +
                             (first_block(run) * kAcross + run % kAcross) * kBlock + in_block(run);
#pragma GCC unroll 4
    for (unsigned i = 0; i < kRows; ++i) sums[i] = from[i * kAcross * kBlock];
  }

  __attribute__((always_inline)) void finish(unsigned run, unsigned row, unsigned column,
                                             const Sum* sums) const {
    const unsigned at_row = row + first_block(run) * Tiles::kDim + in_block(run) / Tiles::kDim;
    const unsigned at_column = column + run % kAcross * Tiles::kDim + in_block(run) % Tiles::kDim;
    Epilogue::Output* to = c_ + at_row * ldc_ + at_column;
    const float bias = epilogue_.bias_of(at_column);
#pragma GCC unroll 4
    for (unsigned i = 0; i < kRows; ++i) {
      *to = epilogue_.of(number_of(sums[i]), bias);
      to += Tiles::kDim * ldc_;
    }
  }

  Epilogue epilogue_;
  Epilogue::Output* c_;
  unsigned ldc_, worker_, workers_, runs_;
};

/// What all warps do but the one that drives the unit.
static inline void finish_tiles(volatile const GemmArguments& arguments, unsigned worker, unsigned workers) {
  using Tiles = EpilogueTiles;
  const Finisher finisher(arguments, worker, workers);
  const unsigned m = arguments.m, n = arguments.n, warps = simt_warps();
  simt_barrier(kStored, warps);
  simt_barrier(kDrained, warps);
  for (unsigned i = 0; i < m; i += Tiles::kTileM) {
    for (unsigned j = 0; j < n; j += Tiles::kTileN) {
      simt_barrier(kStored, warps);
      finisher.tile(i, j, [&] { simt_barrier(kDrained, warps); });
    }
  }
  simt_barrier(kDone, warps);
}

}  // namespace unit_gemm
#endif
