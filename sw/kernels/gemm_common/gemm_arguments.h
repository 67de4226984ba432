// SPDX-License-Identifier: Apache-2.0
// Argument block of the matrix-product kernels, as in the published ones, and the check of the
// sizes.
//    0  u32 m, n, k     rows of A and C, columns of B and C, common extent
//   12  u32 unit        matrix unit, for gemm_virgo_dual; gemm_tile: transposes; not used by the others
//   16  u64 a, b, c     addresses of A (m x k), B (k x n), C (m x n)
// and, with GEMM_SCALES (gemm_cutlass/main.cpp),
//   40  u64 scales_a, scales_b
// and, with GEMM_BATCHED,
//   +0  u32 batch       products of this size, one after the other
//   +4  u32 stride_a, stride_b, stride_c   bytes from the matrix of a product to that of the next
// and, behind it, with GEMM_STRIDED what gemm_strides.h says, with GEMM_RESHAPED (reshaped_operands.h)
//   +0  f32 scale_a, scale_b
// and with GEMM_EPILOGUE (epilogue.h)
//   +0  u64 bias        address of a number of FP32 for each column
//   +8  f32 scale, per_step
// The data of A and B come with the loader.
#pragma once

#include <arguments.h>
#include <built_for.h>
#include <platform.h>
#include <simt.h>
#include <stdio.h>

#ifndef GEMM_WORK_GROUPS
BUILT_FOR("clusters", 1);  // tiles are shared out as if all cores had one shared memory
#endif

struct GemmArguments {
  uint32_t m, n, k, unit;
  uint64_t a, b, c;
#ifdef GEMM_SCALES
  uint64_t scales_a, scales_b;
#endif
#ifdef GEMM_BATCHED
  uint32_t batch, stride_a, stride_b, stride_c;
#endif
#ifdef GEMM_STRIDED
  uint32_t lda, ldb, ldc, run;
  uint64_t runs;
#endif
#ifdef GEMM_RESHAPED
  float scale_a, scale_b;
#endif
#ifdef GEMM_EPILOGUE
  uint64_t bias;
  float scale, per_step;
#endif
};
#define GEMM_ARGUMENTS(name)                \
  KERNEL_ARGUMENTS(GemmArguments, name) = { \
      256, 256, 256, 0, PLATFORM_OPERAND_A, PLATFORM_OPERAND_B, PLATFORM_RESULT}

// GEMM_MAIN(arguments) { ... } is main() of a kernel that computes one product, and GEMM_EXIT() the end of a thread of
// it. GEMM_PRINT_CYCLES(cycles) reports its duration. With GEMM_BATCHED main() calls it once for each product, with its
// addresses in the argument block.
#ifdef GEMM_BATCHED
#define GEMM_EXIT() return
#define GEMM_PRINT_CYCLES(cycles) ((void)(cycles))  // text takes longer than a small product
#define GEMM_MAIN(arguments)                                                          \
  BUILT_FOR("gemm.batched", 1);                                                       \
  static int gemm_product();                                                          \
  int main() {                                                                        \
    int result = gemm_product();                                                      \
    for (unsigned product = 1; product < arguments.batch && result == 0; ++product) { \
      simt_barrier(0, 1); /* all cores have done the last one */                      \
      if (simt_core() == 0) {                                                         \
        arguments.a = static_cast<uint32_t>(arguments.a) + arguments.stride_a;        \
        arguments.b = static_cast<uint32_t>(arguments.b) + arguments.stride_b;        \
        arguments.c = static_cast<uint32_t>(arguments.c) + arguments.stride_c;        \
      }                                                                               \
      simt_barrier(0, 1);                                                             \
      result = gemm_product();                                                        \
    }                                                                                 \
    return result;                                                                    \
  }                                                                                   \
  static int gemm_product()
#else
#define GEMM_EXIT() exit(0)
#define GEMM_PRINT_CYCLES(cycles) printf("cycles: %u\n", cycles)
#define GEMM_MAIN(arguments) int main()
#endif

/// Says to the host what m, n and k must be multiples of; it makes larger matrices with zeros at the edges of others.
#define GEMM_TILE(m, n, k)     \
  BUILT_FOR("gemm.tile_m", m); \
  BUILT_FOR("gemm.tile_n", n); \
  BUILT_FOR("gemm.tile_k", k)

/// True when m, n and k are multiples of `tile`; if not, core 0 prints a message.
static inline bool gemm_sizes_fit(volatile const GemmArguments& arguments, unsigned tile) {
  const unsigned m = arguments.m, n = arguments.n, k = arguments.k;
  if (((m | n | k) % tile) == 0) return true;
  if (simt_core() == 0) printf("sizes %u x %u x %u must be multiples of %u\n", m, n, k, tile);
  return false;
}
/// The same for a tile that is not a cube.
static inline bool gemm_sizes_fit(volatile const GemmArguments& arguments, unsigned tile_m, unsigned tile_n,
                                  unsigned tile_k) {
  if (tile_m == tile_n && tile_n == tile_k) return gemm_sizes_fit(arguments, tile_m);
  const unsigned m = arguments.m, n = arguments.n, k = arguments.k;
  if (m % tile_m == 0 && n % tile_n == 0 && k % tile_k == 0) return true;
  if (simt_core() == 0)
    printf("sizes %u x %u x %u must be multiples of %u x %u x %u\n", m, n, k, tile_m, tile_n, tile_k);
  return false;
}
