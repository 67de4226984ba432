// SPDX-License-Identifier: Apache-2.0
// C = swish(A * B), FP32, with the cluster's matrix unit, its DMA and the SIMT cores side by side.
//
// Shows: a matrix unit that belongs to the cluster leaves the warps free. Warp 0 of core 0 drives
// the unit as in gemm_virgo_dma; warps 1 to 7 of each core activate the output tile before, which
// the unit has written to shared memory, and store it to global memory.
//
// The two buffers of A and B fill shared memory, so the output tile has quarter 0 only for a while
// (the CISC command stores it there). An output tile begins with buffer 1, quarters 1 and 3:
//
//   driver   ... store, load k0 | compute k0          | load k1, compute k1, ...
//   quarter 0     C of before   | C, until it is read | A of k1
//   warps 1-7    (activate)     | read C to registers | activate and write to global memory
//   barriers                  stored              drained
//
// So the unit waits for the warps only if they take longer for a tile than it does.
//
// Arguments: gemm_common/gemm_arguments.h, A, B and C row-major, sizes multiples of 64. Prints
// "cycles: N": from the first tile to the moment the last result is in global memory. Exit code 2:
// sizes, or a machine without four cores of eight warps of eight lanes.
#include <spawn.h>
#include <stdlib.h>

#include "sw/kernels/gemm_common/gemm_arguments.h"
#include "sw/kernels/gemm_common/swish.h"
#include "sw/kernels/gemm_common/unit_gemm.h"

GEMM_ARGUMENTS(arguments);

constexpr unsigned kLanes = 8, kWarps = 8, kCores = 4;
constexpr unsigned kWorkers = kCores * (kWarps - 1);      // warps that activate
constexpr unsigned kStored = 0, kDrained = 1, kDone = 2;  // barriers

// Warp 0 takes part in core 0 only.
static inline unsigned warps_of_core() { return simt_core() == 0 ? kWarps : kWarps - 1; }

// An output tile begins in buffer 1. When it computes there, the tile before is handed over; for
// the first one there is none.
struct Tiles : unit_gemm::CommandTilesFrom<1> {
  static void computing(unsigned tile) {
    if (tile != 0) return;
    simt_barrier(kStored, kWarps);
    simt_barrier(kDrained, kWarps);
  }
};
constexpr unsigned kTile = Tiles::kTileM, kBytes = unit_gemm::kBytes;
GEMM_TILE(kTile, kTile, kTile);
static_assert(kTile == 64 && Tiles::kTileN == 64 && kBytes == sizeof(float) && Tiles::kDim == kLanes);

// The tile is stored in blocks of 8 x 8. A warp activates rows of blocks, eight words, and takes them
// by sets: the eight rows with the same number in their block, of the blocks above each other. In a
// set the addresses of both sides go up evenly. 28 warps share 64 sets: two each, and the rows of
// the eight that are left, two or three each.
constexpr unsigned kBlocks = kTile / kLanes;  // in a row or column, and rows of a set
constexpr unsigned kSets = kTile * kTile / kLanes / kBlocks;
constexpr unsigned kWholeSets = kSets / kWorkers;
constexpr unsigned kWholeRows = kWholeSets * kBlocks;  // of each worker
constexpr unsigned kOtherRows = kSets * kBlocks - kWorkers * kWholeRows;
constexpr unsigned kShare = kWholeRows + (kOtherRows + kWorkers - 1) / kWorkers;
constexpr unsigned kRowBytes = kLanes * kBytes, kBlockBytes = kLanes * kRowBytes;

// The first row of a set in shared memory, and in the matrix.
static inline unsigned shared_offset(unsigned set) {
  return set % kBlocks * kBlockBytes + set / kBlocks * kRowBytes;
}
static inline unsigned matrix_offset(unsigned set, unsigned row_bytes) {
  return set / kBlocks * row_bytes + set % kBlocks * kRowBytes;
}

static unsigned drive() {
  const unsigned m = arguments.m, n = arguments.n, k = arguments.k;
  const unsigned a = static_cast<unsigned>(arguments.a), b = static_cast<unsigned>(arguments.b);
  unit_gemm::configure<Tiles>(n, n, k);

  const unsigned begin = simt_cycle();
  MARK_BEG();
  for (unsigned i = 0; i < m; i += kTile) {
    for (unsigned j = 0; j < n; j += kTile) {
      unit_gemm::multiply_tile<Tiles>(a + i * k * kBytes, b + j * kBytes, n, k);
      matrix_unit_cisc(Tiles::kUnit, MATRIX_UNIT_Q_STORE_SPAD);
    }
  }
  unit_gemm::wait_until_idle<Tiles>();
  Tiles::computing(0);
  simt_barrier(kDone, kWarps);
  MARK_END();
  return simt_cycle() - begin;
}

// `c`: the tile in global memory.
static inline void activate_tile(unsigned worker, unsigned c, unsigned row_bytes, unsigned warps) {
  const unsigned lane = simt_lane() * kBytes, shared = PLATFORM_SHARED_BASE + lane, first = c + lane;
  // Number of row i among the rows that are left.
  const auto other = [](unsigned of, unsigned i) { return of + (i - kWholeRows) * kWorkers; };
  const auto from = [&](unsigned i) {
    const unsigned set =
        i < kWholeRows ? worker + i / kBlocks * kWorkers : kWholeSets * kWorkers + other(worker, i) / kBlocks;
    const unsigned row = i < kWholeRows ? i % kBlocks : other(worker, i) % kBlocks;
    return reinterpret_cast<const volatile unsigned*>(shared + shared_offset(set) +
                                                      row * kBlocks * kBlockBytes);
  };
  unsigned sets[kWholeSets];
  for (unsigned i = 0; i < kWholeSets; ++i) sets[i] = first + matrix_offset(worker + i * kWorkers, row_bytes);
  const auto to = [&](unsigned i) {
    const unsigned down = simt_opaque(row_bytes * kLanes);
    if (i < kWholeRows)
      return reinterpret_cast<volatile float*>(simt_opaque(sets[i / kBlocks]) + i % kBlocks * down);
    const unsigned row = other(simt_opaque(worker), i);
    return reinterpret_cast<volatile float*>(
        first + matrix_offset(kWholeSets * kWorkers + row / kBlocks, row_bytes) + row % kBlocks * down);
  };
  simt_barrier(kStored, warps);
  activate<kShare>(from, to, other(worker, kShare - 1) < kOtherRows, [&] { simt_barrier(kDrained, warps); });
}

static void work() {
  const unsigned m = arguments.m, row_bytes = arguments.n * kBytes, warps = warps_of_core();
  const unsigned worker = (simt_warp() - 1) * kCores + simt_core();
  const unsigned c = static_cast<unsigned>(arguments.c);
  simt_barrier(kStored, warps);
  simt_barrier(kDrained, warps);
  for (unsigned i = 0; i < m; i += kTile)
    for (unsigned j = 0; j < row_bytes; j += kTile * kBytes)
      activate_tile(worker, c + i * row_bytes + j, row_bytes, warps);
  simt_barrier(kDone, warps);
}

static void kernel(unsigned, void*) {
  // The conditions are the same for all lanes of a warp.
  if (simt_warp() != 0) {
    work();
    exit(0);
  }
  if (simt_core() != 0) exit(0);
  simt_tmc(1);
  printf("cycles: %u\n", drive());
  exit(0);
}

int main() {
  if (!gemm_sizes_fit(arguments, kTile)) return 2;
  if (simt_lanes() != kLanes || simt_warps() != kWarps || simt_cores() != kCores) {
    if (simt_core() == 0)
      printf("%u cores of %u warps of %u lanes, needed are %u of %u of %u\n", simt_cores(), simt_warps(),
             simt_lanes(), kCores, kWarps, kLanes);
    return 2;
  }
  spawn_tasks(spawn_threads(), kernel, nullptr);
  return 0;
}
