// SPDX-License-Identifier: Apache-2.0
// Rows of A, B and C that do not follow each other, for kernels that include this. Compiled with GEMM_STRIDED
// the argument block says (behind what a batch needs)
//   +0  u32 lda, ldb, ldc   elements from a row to the next; of a column-major A from a column to the next
//  +12  u32 run             elements along k that are contiguous in a row of A: k is divided into runs of them
//  +16  u64 runs            u32 each: where a run begins, in elements from the first of a row; the same for all rows
// so that A may be a view of something else, for example of an image whose windows overlap (a convolution as implicit
// GEMM). A run is a multiple of the tile along k. Leading dimensions are multiples of a word, or of what the kernel
// says by a note "gemm.row_elements". Without GEMM_STRIDED the functions return what they get.
#pragma once

#include "sw/kernels/gemm_common/gemm_arguments.h"

#ifdef GEMM_STRIDED
BUILT_FOR("gemm.strided", 1);
#define GEMM_STRIDE(name, natural) ((void)(natural), arguments.name)
#else
#define GEMM_STRIDE(name, natural) ((void)&arguments, natural)
#endif

/// `natural`: what it is when the rows follow each other.
SIMT_INLINE unsigned gemm_lda(volatile const GemmArguments& arguments, unsigned natural) {
  return GEMM_STRIDE(lda, natural);
}
SIMT_INLINE unsigned gemm_ldb(volatile const GemmArguments& arguments, unsigned natural) {
  return GEMM_STRIDE(ldb, natural);
}
SIMT_INLINE unsigned gemm_ldc(volatile const GemmArguments& arguments, unsigned natural) {
  return GEMM_STRIDE(ldc, natural);
}
/// Elements of k that are neighbours in a row of A.
SIMT_INLINE unsigned gemm_run(volatile const GemmArguments& arguments, unsigned k) {
  return GEMM_STRIDE(run, k);
}
/// Where element `k` of a row of A is, in elements behind the first.
SIMT_INLINE unsigned gemm_column_of_a(volatile const GemmArguments& arguments, unsigned k) {
#ifdef GEMM_STRIDED
  const unsigned run = arguments.run;
  return ARGUMENT_POINTER(const uint32_t, arguments.runs)[k / run] + k % run;
#else
  (void)&arguments;
  return k;
#endif
}
