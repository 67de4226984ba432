// SPDX-License-Identifier: Apache-2.0
// Loads of fragments from shared memory by one warp, without other accesses to it, so that the counters of the block
// mio show the cost of the loads.
//
// Argument block
//    0  u32 kind        0: A of 16x16x16 row by row, 1: A column by column, 2: A row by row and B column by column,
//                       3: the words of A that a lane of Volta's map holds, by 32-bit loads from a swizzled matrix
//    4  u32 stride      elements from one row (column) to the next
#include <arguments.h>
#include <platform.h>
#include <simt.h>
#include <spawn.h>
#include <stdio.h>
#include <wmma.h>

struct Arguments {
  uint32_t kind, stride;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {0, 16};

using Rows = wmma::fragment<0, wmma::matrix_a, 16, 16, 16, wmma::half, wmma::row_major>;
using Columns = wmma::fragment<0, wmma::matrix_a, 16, 16, 16, wmma::half, wmma::col_major>;
using ColumnsOfB = wmma::fragment<1, wmma::matrix_b, 16, 16, 16, wmma::half, wmma::col_major>;

/// Word j of row r is at place j ^ r / 4 of the row: rows that are 4, 8 or 12 apart begin at the same bank, and none
/// of their words j meet.
static uint32_t load_swizzled(unsigned lane) {
  const auto* const matrix = reinterpret_cast<const volatile uint32_t*>(PLATFORM_SHARED_BASE);
  const unsigned group = lane / 4, row = 8 * (group & 1) + 4 * (group / 4) + (lane & 3);
  uint32_t all = 0;
  for (unsigned j = 0; j < 8; ++j) all |= matrix[8 * row + (j ^ row / 4)];
  return all;
}

static void task(unsigned lane, void* argument) {
  const auto* const matrix = reinterpret_cast<const wmma::half*>(PLATFORM_SHARED_BASE);
  const unsigned kind = arguments.kind, stride = arguments.stride;
  uint32_t word = 0;
  float first = 0;
  if (kind == 0 || kind == 2) wmma::load_matrix_sync(Rows{}, matrix, stride);
  if (kind == 1) wmma::load_matrix_sync(Columns{}, matrix, stride);
  if (kind == 2) wmma::load_matrix_sync(ColumnsOfB{}, matrix, stride);
  if (kind == 3) word = load_swizzled(lane);
  else first = wmma::get_register<0>(Rows{});
  if (kind != 3) __builtin_memcpy(&word, &first, 4);
  static_cast<uint32_t*>(argument)[lane] = word;
}

static uint32_t words[32];

int main() {
  spawn_tasks(32, task, words);
  for (unsigned lane = 0; lane < 32; ++lane)
    if (words[lane] != 0) {
      printf("lane %u: 0x%x instead of 0\n", lane, static_cast<unsigned>(words[lane]));
      return 1;
    }
  return 0;
}
