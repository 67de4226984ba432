// SPDX-License-Identifier: Apache-2.0
// Sum of n 32-bit words (modulo 2^32).
//
// Shows: shared memory, barriers of all warps of a cluster, a tree whose lanes diverge, an atomic
// operation. Each core adds up its threads' sums in its part of shared memory, and adds the result to
// the sum of all cores, of whatever cluster, in global memory.
//
// Argument block
//    0  u32 n           words
//    4  u32 flags       bit 0: fill the words first (word[i] = i * 2654435761 + 12345)
//    8  u64 data        address of the words
//   16  u64 result      address of the sum
// Prints the sum; exit code 1 and a message when it is wrong.
#include <arguments.h>
#include <platform.h>
#include <simt.h>
#include <spawn.h>
#include <stdio.h>

struct Arguments {
  uint32_t n, flags;
  uint64_t data, result;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {5000, 1, PLATFORM_OPERAND_A, PLATFORM_RESULT};

struct Work {
  unsigned n;
  unsigned *data, *result;
};

static void fill(unsigned i, void* argument) {
  static_cast<const Work*>(argument)->data[i] = i * 2654435761u + 12345;
}

// One task per hardware thread, so that every warp of every core is at every barrier.
static void reduce(unsigned thread, void* argument) {
  const Work work = *static_cast<const Work*>(argument);
  const unsigned all = spawn_threads();
  const unsigned threads = simt_lanes() * simt_warps(),
                 lane = simt_lanes() * simt_warp() + simt_lane();  // of a core
  auto* const partial = reinterpret_cast<volatile unsigned*>(PLATFORM_SHARED_BASE) + simt_core() * threads;

  unsigned sum = 0;
  unsigned i = thread;
  SIMT_WHILE(i < work.n)
    sum += work.data[i];
    i += all;
  SIMT_END_WHILE
  partial[lane] = sum;
  simt_barrier(0, simt_warps());

  unsigned half = 1;
  while (2 * half < threads) half *= 2;
  for (; half != 0; half /= 2) {
    SIMT_IF((lane < half) & (lane + half < threads))
      partial[lane] = partial[lane] + partial[lane + half];
    SIMT_END_IF
    simt_barrier(0, simt_warps());
  }
  SIMT_IF(lane == 0)
    __atomic_fetch_add(work.result, partial[0], __ATOMIC_RELAXED);
  SIMT_END_IF
}

int main() {
  const unsigned n = arguments.n;
  Work work = {n, ARGUMENT_POINTER(unsigned, arguments.data), ARGUMENT_POINTER(unsigned, arguments.result)};
  if ((arguments.flags & 1) != 0) spawn_tasks(n, fill, &work);
  if (simt_core() == 0) *work.result = 0;
  spawn_barrier();
  const unsigned begin = simt_cycle();
  MARK_BEG();
  spawn_tasks(spawn_threads(), reduce, &work);
  simt_barrier(0, 1);
  MARK_END();
  const unsigned cycles = simt_cycle() - begin;
  spawn_barrier();
  if (simt_core() != 0) return 0;

  printf("cycles: %u\n", cycles);
  unsigned expected = 0;
  for (unsigned i = 0; i < n; ++i) expected += work.data[i];
  if (*work.result != expected) {
    printf("FAIL: sum is %u, must be %u\n", *work.result, expected);
    return 1;
  }
  printf("PASS: sum of %u words is %u\n", n, expected);
  return 0;
}
