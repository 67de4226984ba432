// SPDX-License-Identifier: Apache-2.0
// C = A * B by the lanes of the cores alone: no tensor core, no matrix unit, no shared memory.
//
// Shows: a compiled kernel whose lanes work side by side. A warp computes 4 rows and 32 columns of
// C (with 8 lanes), four of each per lane; a lane's columns are 8 apart, so that the lanes' loads of B lie side by
// side, and all lanes load the same word of A. Each sum is one chain of fused multiply-adds along k.
//
// With GEMM_EPILOGUE elements of C become what gemm_common/epilogue.h says before they leave the registers.
//
// Arguments: gemm_common/gemm_arguments.h, A, B and C row-major FP32, m a multiple of 4, n of four times the lanes.
// Prints "cycles: N": from the start to the moment all cores are done. Runs on any machine whose warps have the
// lanes it was compiled for (-DMACHINE_LANES, 8).
#include <simt.h>
#include <spawn.h>
#include <stdio.h>

#include "sw/kernels/gemm_common/epilogue.h"
#include "sw/kernels/gemm_common/gemm_arguments.h"
#include "sw/kernels/gemm_common/gemm_strides.h"
#include "sw/kernels/gemm_common/machine.h"

GEMM_ARGUMENTS(arguments);

constexpr unsigned kRows = 4, kColumns = 4, kLanes = MACHINE_LANES;
// Registers hold the sums only when the small loops are unrolled.
#define UNROLLED _Pragma("GCC unroll 4")
constexpr unsigned kPartColumns = kColumns * kLanes;
GEMM_TILE(kRows, kPartColumns, 1);

struct Product {
  unsigned m, n, k;
  const float *a, *b;
  Epilogue::Output* c;
};

static void part(unsigned id, void* argument) {
  const Product& product = *static_cast<const Product*>(argument);
  const unsigned n = product.n, k = product.k;
  const unsigned lda = gemm_lda(arguments, k), ldb = gemm_ldb(arguments, n), ldc = gemm_ldc(arguments, n);
  const unsigned parts = n / kPartColumns, number = id / kLanes;
  const unsigned row = number / parts * kRows, column = number % parts * kPartColumns + id % kLanes;
  const float *a = product.a + row * lda, *b = product.b + column;
  float sums[kRows][kColumns] = {};
  const auto run_of = [&](const float* a, unsigned length) __attribute__((always_inline)) {
    for (unsigned i = 0; i < length; ++i) {
      float left[kRows], right[kColumns];
      UNROLLED
      for (unsigned r = 0; r < kRows; ++r) left[r] = a[r * lda + i];
      UNROLLED
      for (unsigned c = 0; c < kColumns; ++c) right[c] = b[c * kLanes];
      UNROLLED
      for (unsigned r = 0; r < kRows; ++r) UNROLLED
      for (unsigned c = 0; c < kColumns; ++c) sums[r][c] = __builtin_fmaf(left[r], right[c], sums[r][c]);
      b += ldb;
    }
  };
#ifdef GEMM_STRIDED
  const unsigned run = gemm_run(arguments, k);
  for (unsigned i = 0; i < k; i += run) run_of(a + gemm_column_of_a(arguments, i), run);
#else
  run_of(a, k);
#endif
  Epilogue::Output* to = product.c + row * ldc + column;
  const Epilogue epilogue(arguments);
  float bias[kColumns];
  UNROLLED
  for (unsigned c = 0; c < kColumns; ++c) bias[c] = epilogue.bias_of(column + c * kLanes);
  UNROLLED
  for (unsigned r = 0; r < kRows; ++r) UNROLLED
  for (unsigned c = 0; c < kColumns; ++c) to[r * ldc + c * kLanes] = epilogue.of(sums[r][c], bias[c]);
}

GEMM_MAIN(arguments) {
  Product product = {arguments.m,
                     arguments.n,
                     arguments.k,
                     ARGUMENT_POINTER(float, arguments.a),
                     ARGUMENT_POINTER(float, arguments.b),
                     ARGUMENT_POINTER(Epilogue::Output, arguments.c)};
  const unsigned begin = simt_cycle();
  if (simt_core() == 0) MARK_BEG();
  spawn_tasks(product.m / kRows * (product.n / kPartColumns) * kLanes, part, &product);
  simt_barrier(0, 1);
  if (simt_core() != 0) return 0;
  MARK_END();
  GEMM_PRINT_CYCLES(simt_cycle() - begin);
  return 0;
}
