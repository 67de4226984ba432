// SPDX-License-Identifier: Apache-2.0
// What warps of one core issue side by side: matrix multiply-adds, floating-point and integer instructions, each kind
// by warps of its own. Prints the cycles from a barrier to the next one.
#include <arguments.h>
#include <simt.h>
#include <spawn.h>
#include <stdio.h>
#include <wmma.h>

struct Arguments {
  uint32_t products;  // by one warp; 0: none
  uint32_t floats, integers;  // by each of 6 warps, multiples of 16
  uint32_t unused;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {};

#define SIXTEEN(text) text text text text text text text text text text text text text text text text

static volatile unsigned cycles[32];  // by lane, all the same

static void work(unsigned warp) {
  if (warp == 0) {
    wmma::fragment<0, wmma::matrix_a, 16, 16, 16, wmma::half, wmma::row_major> a;
    wmma::fragment<1, wmma::matrix_b, 16, 16, 16, wmma::half, wmma::col_major> b;
    wmma::fragment<2, wmma::accumulator, 16, 16, 16, float> c, d;
    for (unsigned i = 0; i < arguments.products; i += 2) {
      wmma::mma_sync(c, a, b, c);
      wmma::mma_sync(d, a, b, d);
    }
    (void)wmma::get_register<0>(c);
  } else if (warp <= 6) {
    for (unsigned i = 0; i < arguments.floats; i += 16)
      __asm__ volatile(SIXTEEN("fmadd.s ft0, fa0, fa1, fa2\n")::: "ft0");
  } else if (warp <= 12) {
    for (unsigned i = 0; i < arguments.integers; i += 16)
      __asm__ volatile(SIXTEEN("xor t0, a0, a1\n")::: "t0");
  }
}

static void task(unsigned thread, void*) {
  const unsigned warp = simt_warp();
  simt_barrier(0, simt_warps());
  const unsigned begin = simt_cycle();
  if (simt_core() == 0) work(warp);
  simt_barrier(0, simt_warps());
  if (simt_core() == 0 && warp == 15) cycles[thread % 32] = simt_cycle() - begin;
}

int main() {
  spawn_tasks(spawn_threads(), task, nullptr);
  if (simt_core() == 0) printf("cycles: %u\n", static_cast<unsigned>(cycles[0]));
  return 0;
}
