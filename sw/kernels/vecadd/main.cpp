// SPDX-License-Identifier: Apache-2.0
// c[i] = a[i] + b[i], 32-bit integers.
//
// Shows: one task per element on all cores, the argument block, a check by core 0.
//
// Argument block
//    0  u32 n           elements
//    4  u32 flags       bit 0: fill a and b first (a[i] = 3 i + 1, b[i] = i ^ 0x5A5A)
//    8  u64 a, b, c     addresses
// Exit code 1 and a message when an element is wrong.
#include <arguments.h>
#include <platform.h>
#include <simt.h>
#include <spawn.h>
#include <stdio.h>

struct Arguments {
  uint32_t n, flags;
  uint64_t a, b, c;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {1000, 1, PLATFORM_OPERAND_A, PLATFORM_OPERAND_B, PLATFORM_RESULT};

struct Vectors {
  unsigned *a, *b, *c;
};

static void fill(unsigned i, void* argument) {
  const auto& vectors = *static_cast<const Vectors*>(argument);
  vectors.a[i] = 3 * i + 1;
  vectors.b[i] = i ^ 0x5A5A;
}

static void add(unsigned i, void* argument) {
  const auto& vectors = *static_cast<const Vectors*>(argument);
  vectors.c[i] = vectors.a[i] + vectors.b[i];
}

int main() {
  const unsigned n = arguments.n;
  Vectors vectors = {ARGUMENT_POINTER(unsigned, arguments.a), ARGUMENT_POINTER(unsigned, arguments.b),
                     ARGUMENT_POINTER(unsigned, arguments.c)};
  // Task i runs on the same hardware thread both times, so no barrier is needed between the two.
  if ((arguments.flags & 1) != 0) spawn_tasks(n, fill, &vectors);
  const unsigned begin = simt_cycle();
  MARK_BEG();
  spawn_tasks(n, add, &vectors);
  simt_barrier(0, 1);  // one warp per core: all cores of this cluster are done
  MARK_END();
  const unsigned cycles = simt_cycle() - begin;
  spawn_barrier();  // all clusters
  if (simt_core() != 0) return 0;

  printf("cycles: %u\n", cycles);
  for (unsigned i = 0; i < n; ++i) {
    if (vectors.c[i] != vectors.a[i] + vectors.b[i]) {
      printf("FAIL: c[%u] is %u, must be %u\n", i, vectors.c[i], vectors.a[i] + vectors.b[i]);
      return 1;
    }
  }
  printf("PASS: %u elements\n", n);
  return 0;
}
