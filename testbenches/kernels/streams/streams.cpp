// SPDX-License-Identifier: Apache-2.0
// Kernels for streams_test.py: what a kernel leaves depends on what has run before it, so that a wrong order shows.
#include <arguments.h>
#include <spica/group.h>

extern "C" {
unsigned a[2048], b[2048], c[2048], d[2048];
}

struct Arguments {
  unsigned factor, addend;
  unsigned* x;
  unsigned* y;
  unsigned* all[4];  // so that the linker keeps them
};
KERNEL_ARGUMENTS(Arguments, arguments) = {1, 0, a, b, {a, b, c, d}};

/// x = x * factor + addend
extern "C" void step(const Arguments* p) {
  const unsigned i = spica::global_index().x;
  p->x[i] = p->x[i] * p->factor + p->addend;
}
SPICA_KERNEL(step, 64, 0);

/// x += y, by way of shared memory
extern "C" void add(const Arguments* p) {
  auto* const shared = spica::group_shared<volatile unsigned>();
  const unsigned i = spica::global_index().x, mine = spica::group_thread(), all = spica::block_extent().x;
  shared[mine] = p->y[i];
  spica::group_barrier();
  // that of a neighbour, who has the one of this thread: a sum over the block does not depend on it
  const unsigned other = shared[all - 1 - mine];
  spica::group_barrier();
  shared[all - 1 - mine] = other;
  spica::group_barrier();
  p->x[i] += shared[mine];
}
SPICA_KERNEL(add, 64, 256);

/// The first warp of a work group never comes to its barrier.
extern "C" void hangs(const Arguments*) {
  if (spica::group_rank() != 0) spica::group_barrier();
}
SPICA_KERNEL(hangs, 16, 0);
