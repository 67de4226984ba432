// SPDX-License-Identifier: Apache-2.0
// One matrix multiply-add of one warp that has the tensor core to itself: the counters step_end_N of its tensor core
// then say when each of its steps ended.
//
// Argument block
//    0  u32 kind        0: FP32 accumulators, 1: FP16; on Turing also 2: 8-bit integers, and
//                       3 more for a shape of 32x8x16, 6 more for 8x32x16;
//                       on Ampere also 9, 10: 16x8x16, 12, 13: 16x8x8
#include <arguments.h>
#include <simt.h>
#include <spawn.h>
#include <stdio.h>
#include <wmma.h>

struct Arguments {
  uint32_t kind, unused;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {0, 0};

template <unsigned m, unsigned n, unsigned k, class Operand, class Sum>
static void probe(unsigned lane, uint32_t* registers) {
  wmma::fragment<0, wmma::matrix_a, m, n, k, Operand, wmma::row_major> a;
  wmma::fragment<1, wmma::matrix_b, m, n, k, Operand, wmma::col_major> b;
  wmma::fragment<2, wmma::accumulator, m, n, k, Sum> c;
  wmma::fill_fragment(c, Sum{});
  simt_fence();
  (void)simt_cycle();  // waits for what is under way
  wmma::mma_sync(c, a, b, c);
  const float first = wmma::get_register<0>(c);
  __builtin_memcpy(&registers[lane], &first, 4);
}

template <unsigned m, unsigned n>
static void probe_shape(unsigned format, unsigned lane, uint32_t* registers) {
  if (format == 0) probe<m, n, 16, wmma::half, float>(lane, registers);
  else if (format == 1) probe<m, n, 16, wmma::half, wmma::half>(lane, registers);
  else probe<m, n, 16, wmma::s8, int32_t>(lane, registers);
}

template <unsigned k>
static void probe_flat(unsigned format, unsigned lane, uint32_t* registers) {
  if (format == 0) probe<16, 8, k, wmma::half, float>(lane, registers);
  else probe<16, 8, k, wmma::half, wmma::half>(lane, registers);
}

static void task(unsigned lane, void* argument) {
  auto* const registers = static_cast<uint32_t*>(argument);
  const unsigned shape = arguments.kind / 3, format = arguments.kind % 3;
  if (shape == 0) probe_shape<16, 16>(format, lane, registers);
  else if (shape == 1) probe_shape<32, 8>(format, lane, registers);
  else if (shape == 2) probe_shape<8, 32>(format, lane, registers);
  else if (shape == 3) probe_flat<16>(format, lane, registers);
  else probe_flat<8>(format, lane, registers);
}

static uint32_t registers[32];

int main() {
  spawn_tasks(32, task, registers);
  for (unsigned lane = 0; lane < 32; ++lane)
    if (registers[lane] != 0) {
      printf("lane %u: 0x%x instead of 0\n", lane, static_cast<unsigned>(registers[lane]));
      return 1;
    }
  return 0;
}
