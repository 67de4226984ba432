// SPDX-License-Identifier: Apache-2.0
// y = A * x by the lanes of the cores alone, as a matrix product whose B and C have one column.
//
// Shows: loads that lie side by side, and a sum over lanes. A warp computes kRows rows; its lanes go along them side by
// side, each with a sum of its own for each row, so that a word of x is loaded once for all rows. At the end the sums
// go through shared memory, and each lane adds those of one row.
//
// With GEMM_EPILOGUE elements of y become what gemm_common/epilogue.h says before they leave the registers.
//
// Arguments: gemm_common/gemm_arguments.h, all row-major FP32; m is a multiple of the rows, k of the lanes, n is any
// number of columns, one after the other. Prints "cycles: N": from the start to the moment all cores are done. Runs on
// any machine whose warps have the lanes it was compiled for (-DMACHINE_LANES, 8).
#include <platform.h>
#include <simt.h>
#include <spawn.h>
#include <stdio.h>

#include "sw/kernels/gemm_common/epilogue.h"
#include "sw/kernels/gemm_common/gemm_arguments.h"
#include "sw/kernels/gemm_common/gemm_strides.h"
#include "sw/kernels/gemm_common/machine.h"

GEMM_ARGUMENTS(arguments);

constexpr unsigned kLanes = MACHINE_LANES, kRows = kLanes < 8 ? kLanes : 8;
constexpr unsigned kAtOnce = 4;  // rows whose sums are in shared memory
GEMM_TILE(kRows, 1, kLanes);
#define UNROLLED _Pragma("GCC unroll 8")

struct Product {
  unsigned n, k;
  const float *a, *b;
  Epilogue::Output* c;
};

// Of the warp that runs it: a word of each lane for each of some rows.
static volatile float* scratch() {
  const unsigned warp = simt_core() * simt_warps() + simt_warp();
  return reinterpret_cast<volatile float*>(PLATFORM_SHARED_BASE) + warp * kAtOnce * kLanes;
}

static void rows(unsigned id, void* argument) {
  const Product& product = *static_cast<const Product*>(argument);
  const unsigned lane = id % kLanes, row = id / kLanes * kRows, n = product.n, k = product.k;
  const unsigned lda = gemm_lda(arguments, k), ldb = gemm_ldb(arguments, n), ldc = gemm_ldc(arguments, n);
  volatile float* const sums = scratch();
  const Epilogue epilogue(arguments);
  for (unsigned column = 0; column < n; ++column) {
    const float *a = product.a + row * lda + lane, *x = product.b + lane * ldb + column;
    const float bias = epilogue.bias_of(column);
    float own[kRows] = {};
    for (unsigned i = 0; i < k; i += kLanes) {
#ifdef GEMM_STRIDED
      a = product.a + row * lda + lane + gemm_column_of_a(arguments, i);
#endif
      float left[kRows];
      UNROLLED
      for (unsigned r = 0; r < kRows; ++r) left[r] = a[r * lda];
      const float right = *x;
      UNROLLED
      for (unsigned r = 0; r < kRows; ++r) own[r] = __builtin_fmaf(left[r], right, own[r]);
      a += kLanes;
      x += kLanes * ldb;
    }
    // With more lanes than rows several lanes add the same row, and store the same sum.
    const unsigned mine = lane % kAtOnce;
    UNROLLED
    for (unsigned first = 0; first < kRows; first += kAtOnce) {
      UNROLLED
      for (unsigned r = 0; r < kAtOnce; ++r) sums[r * kLanes + lane] = own[first + r];
      simt_fence();
      float sum = 0;
      for (unsigned i = 0; i < kLanes; ++i) sum += sums[mine * kLanes + i];
      product.c[(row + first + mine) * ldc + column] = epilogue.of(sum, bias);
      simt_fence();
    }
  }
}

GEMM_MAIN(arguments) {
  if (!gemm_sizes_fit(arguments, kRows, 1, kLanes)) return 2;
  Product product = {arguments.n, arguments.k, ARGUMENT_POINTER(float, arguments.a),
                     ARGUMENT_POINTER(float, arguments.b), ARGUMENT_POINTER(Epilogue::Output, arguments.c)};
  const unsigned begin = simt_cycle();
  if (simt_core() == 0) MARK_BEG();
  spawn_tasks(arguments.m / kRows * kLanes, rows, &product);
  simt_barrier(0, 1);
  if (simt_core() != 0) return 0;
  MARK_END();
  GEMM_PRINT_CYCLES(simt_cycle() - begin);
  return 0;
}
