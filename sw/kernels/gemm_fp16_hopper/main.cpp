// SPDX-License-Identifier: Apache-2.0
// C = A * B with the decoupled tensor cores beside the SIMT cores and the matrix unit's DMA (Hopper
// style). FP16 operands, FP32 C; output tiles of 128 x 64 in k blocks of 128, 16 x 16 of a tile per
// warp, 4 cores of 8 warps.
//
// Shows: thread 0 starts the load of block t + 1 before the warps multiply block t and polls the
// unit afterwards; two barriers per k block. A warp starts four multiplications, one for each 32
// of k, and waits once. A lies in hexadeciles 0 or 4 of shared memory, B ends with 11 or 15, so that
// the four streams are in four banks.
//
// The DMA leaves a tile as blocks of 16 x 16, row by row; the tensor core reads blocks of two rows of
// A, or two columns of B, with eight elements along k. So the operands come with their elements
// exchanged inside small squares; DMA and strides know nothing of it:
//   A  in squares of 16 x 16: row r, column e have the element of row 2 (r % 8) + e / 8, column
//      8 (r / 8) + e % 8. Two blocks side by side are then the 1 KB tile of 16 rows and 32 of k.
//   B  in squares of 32 x 32: row 16 q + r, column 16 h + e have the element of row
//      16 h + 8 (r / 8) + e % 8, column 16 q + 2 (r % 8) + e / 8. Two blocks side by side, of which
//      the upper pair (q = 0) is the left 16 columns, are the 1 KB tile of 32 of k and 16 columns.
//
// Arguments: gemm_common/gemm_arguments.h; A and B FP16 as above, C row-major FP32; m and k multiples
// of 128, n of 64. Prints "cycles: N": from the first tile to the moment the last result is in global
// memory. Exit code 2: sizes, or a machine without 256 threads in warps of 8.
#include <decoupled_tensor_core.h>
#include <matrix_unit.h>
#include <spawn.h>
#include <stdlib.h>

#include "sw/kernels/gemm_common/gemm_arguments.h"

GEMM_ARGUMENTS(arguments);
#ifdef GEMM_QUARTILE
BUILT_FOR_WORD("matrix_unit.command_set", "quartile");
#else
BUILT_FOR_WORD("matrix_unit.command_set", "hexadecile");
#endif

constexpr unsigned kUnit = 0;
constexpr unsigned kTileM = 128, kTileN = 64, kTileK = 128;
constexpr unsigned kPart = DECOUPLED_TENSOR_TILE;  // rows and columns of a warp
constexpr unsigned kStepK = 32;                    // of k in one instruction
constexpr unsigned kWarpThreads = 8;
constexpr unsigned kThreads = kTileM / kPart * (kTileN / kPart) * kWarpThreads;
constexpr unsigned kHalfBytes = 2, kFloatBytes = 4;

// Shared memory, by buffer: hexadeciles of the load command and where the tiles begin.
constexpr unsigned kHexadecileBytes = PLATFORM_SHARED_SIZE / 16;
constexpr unsigned first_of_a(unsigned buffer) { return 4 * buffer; }
constexpr unsigned last_of_b(unsigned buffer) { return 11 + 4 * buffer; }
static inline unsigned shared_a(unsigned buffer) {
  return PLATFORM_SHARED_BASE + first_of_a(buffer) * kHexadecileBytes;
}
static inline unsigned shared_b(unsigned buffer) {
  return PLATFORM_SHARED_BASE + (last_of_b(buffer) + 1) * kHexadecileBytes - kTileK * kTileN * kHalfBytes;
}

// The DMA's blocks of 16 x 16: their bytes, and how many lie side by side in A and in B.
constexpr unsigned kBlock = 16, kBlockBytes = kBlock * kBlock * kHalfBytes;
constexpr unsigned kBlocksA = kTileK / kBlock, kBlocksB = kTileN / kBlock;

// Operand tiles of the part that begins in this row (column) of the output tile, for the first step.
static inline unsigned tile_a(unsigned row) { return row / kPart * kBlocksA * kBlockBytes; }
static inline unsigned tile_b(unsigned column) {
  const unsigned part = column / kPart;
  return (part % 2 * kBlocksB + part / 2 * 2) * kBlockBytes;
}
constexpr unsigned kStepA = DECOUPLED_TENSOR_TILE_BYTES;
constexpr unsigned kStepB = kStepK / kBlock * kBlocksB * kBlockBytes;

// The driver starts a load. `a`, `b`: addresses of the blocks; k and n: lengths of the rows. The
// addresses and strides go to the slot of this loop, so they are given every time.
static inline void start_load(unsigned a, unsigned b, unsigned k, unsigned n, unsigned buffer) {
  matrix_unit_loop_address_ab(kUnit, a, b);
  matrix_unit_loop_stride_ab(kUnit, k, n);
#ifdef GEMM_QUARTILE  // the same places, gemm_fp16_hopper_quartile
  matrix_unit_cisc(kUnit, buffer != 0 ? MATRIX_UNIT_Q_LOAD_1 : MATRIX_UNIT_Q_LOAD_0);
#else
  matrix_unit_cisc(kUnit, MATRIX_UNIT_H_LOAD | first_of_a(buffer) << MATRIX_UNIT_H_A_SHIFT |
                              last_of_b(buffer) << MATRIX_UNIT_H_B_SHIFT);
#endif
}

static void kernel(unsigned thread, void*) {
  const unsigned m = arguments.m, n = arguments.n, k = arguments.k, blocks = k / kTileK;
  const unsigned a_row = k * kHalfBytes, b_row = n * kHalfBytes, c_row = n * kFloatBytes;
  const unsigned a = static_cast<unsigned>(arguments.a), b = static_cast<unsigned>(arguments.b);
  const unsigned c = static_cast<unsigned>(arguments.c);
  const unsigned driver = thread == 0, warps = simt_warps();
  const unsigned warp = thread / kWarpThreads, lane = thread % kWarpThreads;
  const unsigned row = warp / (kTileN / kPart) * kPart, column = warp % (kTileN / kPart) * kPart;
  const unsigned part_a = tile_a(row), part_b = tile_b(column);
  const unsigned part_c =
      (row + decoupled_tensor_row(lane)) * c_row + (column + decoupled_tensor_column(lane)) * kFloatBytes;

  SIMT_IF(driver)
    matrix_unit_config_execute(kUnit);
    matrix_unit_config_load(kUnit, 0, a_row);
    matrix_unit_config_load(kUnit, 1, b_row);
    matrix_unit_fence(kUnit);
  SIMT_END_IF

  const unsigned begin = simt_cycle();
  MARK_BEG();
  for (unsigned i = 0; i < m; i += kTileM) {
    for (unsigned j = 0; j < n; j += kTileN) {
      const unsigned from_a = a + i * a_row, from_b = b + j * kHalfBytes;
      decoupled_tensor_clear();
      SIMT_IF(driver)
        start_load(from_a, from_b, k, n, 0);
        matrix_unit_fence(kUnit);
      SIMT_END_IF
      for (unsigned block = 0; block < blocks; ++block) {
        const unsigned loads = driver & (block + 1 < blocks);
        SIMT_IF(loads)
          start_load(from_a + (block + 1) * kTileK * kHalfBytes, from_b + (block + 1) * kTileK * b_row, k, n,
                     (block + 1) & 1);
        SIMT_END_IF
        simt_barrier(0, warps);
        const unsigned at_a = shared_a(block & 1) + part_a, at_b = shared_b(block & 1) + part_b;
        decoupled_tensor_multiply(at_a, at_b);
        decoupled_tensor_multiply(at_a + kStepA, at_b + kStepB);
        decoupled_tensor_multiply(at_a + 2 * kStepA, at_b + 2 * kStepB);
        decoupled_tensor_multiply(at_a + 3 * kStepA, at_b + 3 * kStepB);
        decoupled_tensor_wait();
        SIMT_IF(driver)
          matrix_unit_fence(kUnit);
        SIMT_END_IF
        simt_barrier(0, warps);
      }
      decoupled_tensor_store(c + i * c_row + j * kFloatBytes + part_c, c_row);
    }
  }
  simt_barrier(0, warps);
  MARK_END();
  const unsigned cycles = simt_cycle() - begin;
  SIMT_IF(driver)
    printf("cycles: %u\n", cycles);
  SIMT_END_IF
}

static bool threads_fit() {
  if (simt_lanes() == kWarpThreads && spawn_threads() == kThreads) return true;
  if (simt_core() == 0)
    printf("%u threads in warps of %u, needed are %u in warps of %u\n", spawn_threads(), simt_lanes(),
           kThreads, kWarpThreads);
  return false;
}

int main() {
  if (!gemm_sizes_fit(arguments, kTileM, kTileN, kTileK) || !threads_fit()) return 2;
  spawn_tasks(kThreads, kernel, nullptr);
  return 0;
}
