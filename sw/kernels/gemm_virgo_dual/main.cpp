// SPDX-License-Identifier: Apache-2.0
// Two matrix products, FP32, on a cluster with an 8x8 matrix unit (0) and a 4x4 one (1): each
// product names its unit. Products of one unit are computed one after the other, those of different
// units at the same time.
//
// Shows: each unit has its own registers, so each has a driver of its own (thread 0 of core 0 and
// of core 1), and both take their tiles from the same shared memory.
//
// Only unit 0 is used: the tiles of gemm_virgo_dma, 64 x 64 x 64 in two buffers, fill the 64 KB.
// Both are used: each has half of shared memory and tiles of 64 x 64 x 32, which no CISC command
// knows, so they are moved and computed by LOOP_WS. Banks are quarters of shared memory: unit 0 has
// A in the first and B in the second, unit 1 in the third and fourth, because a unit reads A and B
// at the same time, and the two units must not meet.
//
// Arguments: twice those of gemm_common/gemm_arguments.h, with the unit at offset 12; A, B and C
// row-major, sizes multiples of 64. Prints "cycles: N": from the first command to the moment the
// last result of both is in global memory. Exit code 2: sizes, or less than two cores.
#include <spawn.h>
#include <stdlib.h>

#include "sw/kernels/gemm_common/gemm_arguments.h"
#include "sw/kernels/gemm_common/unit_gemm.h"

constexpr unsigned kProducts = 2;
struct Products {
  GemmArguments product[kProducts];
};
KERNEL_ARGUMENTS(Products, arguments) = {{{256, 256, 256, 0, 0xA0000000, 0xA1000000, 0xC0000000},
                                          {128, 128, 256, 1, 0xA0100000, 0xA1100000, 0xC0100000}}};

GEMM_TILE(64, 64, 64);
constexpr unsigned kBytes = unit_gemm::kBytes;
constexpr unsigned kQuarterBytes = PLATFORM_SHARED_SIZE / 4;

// The tiles of one unit when both are used.
template <unsigned unit, unsigned dim>
struct HalfTiles {
  static constexpr unsigned kUnit = unit, kDim = dim, kFirstBuffer = 0;
  static constexpr unsigned kTileM = 64, kTileN = 64, kTileK = 32;
  static constexpr unsigned kBytesA = kTileM * kTileK * kBytes, kBytesB = kTileK * kTileN * kBytes;
  static constexpr unsigned kRowBytes = dim * kBytes;  // of scratchpad
  static_assert(2 * kBytesA == kQuarterBytes && 2 * kBytesB == kQuarterBytes);

  static void bounds() { matrix_unit_loop_bounds(kUnit, kTileM / kDim, kTileN / kDim, kTileK / kDim); }
  static void place(bool odd) {
    constexpr unsigned kA = 2 * unit * kQuarterBytes, kB = kA + kQuarterBytes;
    matrix_unit_loop_spad_ab(kUnit, (kA + (odd ? kBytesA : 0)) / kRowBytes,
                             (kB + (odd ? 2 : 1) * kBytesB) / kRowBytes);
  }
  // The slot of the loads, then that of the computes, keep these through the output tile.
  static void begin(unsigned k, unsigned n) {
    bounds();
    matrix_unit_loop_stride_ab(kUnit, k, n);
  }
  static void load(unsigned, bool odd, unsigned, unsigned) {
    place(odd);
    matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_LOAD_ONLY, 0, 0);
  }
  static void compute(unsigned tile, bool odd) {
    if (tile == 0) bounds();
    place(odd);
    matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_EXECUTE_ONLY, tile != 0, 0);
  }
  static void computing(unsigned) {}
  static void store(unsigned n) {
    matrix_unit_loop_stride_dc(kUnit, 0, n);
    matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_STORE_GMEM, 0, 0);
  }
};

// The products of one unit.
template <class Tiles>
static void multiply() {
  for (unsigned p = 0; p < kProducts; ++p) {
    const volatile GemmArguments& product = arguments.product[p];
    if (product.unit != Tiles::kUnit) continue;
    const unsigned m = product.m, n = product.n, k = product.k;
    const unsigned a = static_cast<unsigned>(product.a), b = static_cast<unsigned>(product.b);
    const unsigned c = static_cast<unsigned>(product.c);
    unit_gemm::configure<Tiles>(n, n, k);
    for (unsigned i = 0; i < m; i += Tiles::kTileM) {
      for (unsigned j = 0; j < n; j += Tiles::kTileN) {
        unit_gemm::multiply_tile<Tiles>(a + i * k * kBytes, b + j * kBytes, n, k);
        unit_gemm::store_tile<Tiles>(c + (i * n + j) * kBytes, n);
      }
    }
    unit_gemm::wait_until_idle<Tiles>();
  }
}

static void kernel(unsigned, void*) {
  // Warp 0 of each core, one lane. The conditions are the same for all lanes of a warp.
  if (simt_warp() != 0) exit(0);
  simt_tmc(1);
  const bool both = (arguments.product[0].unit | arguments.product[1].unit) != 0;
  simt_barrier(0, 1);
  const unsigned begin = simt_cycle();
  if (simt_core() == 0) {
    MARK_BEG();
    if (both) multiply<HalfTiles<0, 8>>();
    else multiply<unit_gemm::CommandTiles>();
  } else if (simt_core() == 1) {
    multiply<HalfTiles<1, 4>>();
  }
  simt_barrier(0, 1);
  if (simt_core() != 0) exit(0);
  MARK_END();
  printf("cycles: %u\n", simt_cycle() - begin);
  exit(0);
}

int main() {
  for (unsigned p = 0; p < kProducts; ++p)
    if (arguments.product[p].unit > 1 || !gemm_sizes_fit(arguments.product[p], 64)) return 2;
  if (simt_cores() < 2) {
    printf("two cores are needed\n");
    return 2;
  }
  spawn_tasks(spawn_threads(), kernel, nullptr);
  return 0;
}
