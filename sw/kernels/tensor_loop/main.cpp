// SPDX-License-Identifier: Apache-2.0
// Matrix multiply-adds of 16x16x16 (wmma.h) only, from N warps at once.
//
// Shows: how many warps, and how many independent sums of each, it takes to fill the tensor cores. Warp w runs on core
// w modulo their number.
//
// Argument block
//    0  u32 halves        0: sums in FP32, 1: in FP16
//    4  u32 warps         of the cluster, at most as many as it has
//    8  u32 accumulators  sums that a warp adds to in turn: 1, 2 or 4
//   12  u32 operations    of each warp, a multiple of 16
// Prints "cycles: N": from the launch to the end of the last warp.
#include <arguments.h>
#include <simt.h>
#include <spawn.h>
#include <stdio.h>
#include <wmma.h>

struct Arguments {
  uint32_t halves, warps, accumulators, operations;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {0, 8, 2, 256};

template <unsigned accumulators, class Sum>
static void run(unsigned operations) {
  wmma::fragment<30, wmma::matrix_a, 16, 16, 16, wmma::half, wmma::row_major> a;
  wmma::fragment<31, wmma::matrix_b, 16, 16, 16, wmma::half, wmma::col_major> b;
  wmma::fragment<0, wmma::accumulator, 16, 16, 16, Sum> c0;
  wmma::fragment<1 % accumulators, wmma::accumulator, 16, 16, 16, Sum> c1;
  wmma::fragment<2 % accumulators, wmma::accumulator, 16, 16, 16, Sum> c2;
  wmma::fragment<3 % accumulators, wmma::accumulator, 16, 16, 16, Sum> c3;
  for (unsigned i = 0; i < operations; i += 16) {
#define FOUR                    \
  wmma::mma_sync(c0, a, b, c0); \
  wmma::mma_sync(c1, a, b, c1); \
  wmma::mma_sync(c2, a, b, c2); \
  wmma::mma_sync(c3, a, b, c3);
    FOUR FOUR FOUR FOUR
#undef FOUR
  }
  (void)wmma::get_register<0>(c0);  // waits for the last ones
  (void)wmma::get_register<0>(c1);
  (void)wmma::get_register<0>(c2);
  (void)wmma::get_register<0>(c3);
}

template <class Sum>
static void run(unsigned accumulators, unsigned operations) {
  if (accumulators == 1) run<1, Sum>(operations);
  else if (accumulators == 2) run<2, Sum>(operations);
  else run<4, Sum>(operations);
}

static void task(unsigned, void*) {
  if (arguments.halves != 0) run<wmma::half>(arguments.accumulators, arguments.operations);
  else run<float>(arguments.accumulators, arguments.operations);
}

int main() {
  const unsigned sums = arguments.accumulators, threads = spawn_threads();
  if ((sums != 1 && sums != 2 && sums != 4) || arguments.operations % 16 != 0 ||
      arguments.warps * 32 > threads) {
    if (simt_core() == 0)
      printf("accumulators is 1, 2 or 4, operations a multiple of 16, warps at most %u\n", threads / 32);
    return 1;
  }
  const unsigned begin = simt_cycle();
  if (simt_core() == 0) MARK_BEG();
  spawn_tasks(arguments.warps * 32, task, nullptr);
  simt_barrier(0, 1);
  if (simt_core() != 0) return 0;
  MARK_END();
  printf("cycles: %u\n", simt_cycle() - begin);
  return 0;
}
