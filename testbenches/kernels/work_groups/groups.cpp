// SPDX-License-Identifier: Apache-2.0
// Kernels for work_groups_test.py; no function that gcc would need a macro for: conditions choose addresses and values.
#include <arguments.h>
#include <spica/group.h>
#include <stdint.h>

extern "C" {
unsigned count[4096];  // by number of the work group: its threads that came
unsigned total[4096];  // sum over its threads of a value, by way of shared memory
unsigned place[4096];  // its part of shared memory
unsigned thread[8192];  // by number of the thread in the grid: x, y and z in its block
}

struct Arguments {
  unsigned rounds;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {3};

namespace {
SIMT_INLINE unsigned group() {
  const spica::Index3 at = spica::block_index(), grid = spica::grid_extent();
  return (at.z * grid.y + at.y) * grid.x + at.x;
}
SIMT_INLINE unsigned threads() {
  const spica::Index3 block = spica::block_extent();
  return block.x * block.y * block.z;
}
}  // namespace

/// Each thread adds the values of its work group in turns, with a barrier in between: what another work group does to
/// the same barrier or to its part of shared memory changes the sum.
extern "C" void sums(const Arguments* a) {
  auto* const shared = spica::group_shared<volatile unsigned>();
  const unsigned mine = spica::group_thread(), all = threads();
  const spica::Index3 at = spica::thread_index();
  __atomic_fetch_add(&count[group()], 1u, __ATOMIC_RELAXED);
  if (mine == 0) place[group()] = static_cast<unsigned>(reinterpret_cast<uintptr_t>(shared));
  thread[group() * all + mine] = at.z << 16 | at.y << 8 | at.x;
  unsigned sum = 0;
  for (unsigned round = 0; round < a->rounds; ++round) {
    shared[mine] = group() * 1000 + mine + round;
    spica::group_barrier();
    for (unsigned other = 0; other < all; ++other) sum += shared[other];
    spica::group_barrier(1);
  }
  if (mine == 0) total[group()] = sum;
}
SPICA_KERNEL(sums, 24, 1024);
SPICA_KERNEL_NEEDS(sums, 40, 2);

/// Without the first barrier.
extern "C" void race(const Arguments*) {
  auto* const shared = spica::group_shared<volatile unsigned>();
  const unsigned mine = spica::group_thread();
  shared[mine] = mine;
  total[group() * 64 + mine] = shared[(mine + 8) % threads()];
}
SPICA_KERNEL(race, 24, 1024);

extern "C" void idle_warp() { simt_tmc(0); }
extern "C" void spawns(const Arguments*) { simt_wspawn(2, idle_warp); }
SPICA_KERNEL(spawns, 8, 0);

/// The first work group never comes to its barrier.
extern "C" void hangs(const Arguments*) {
  if (spica::group_rank() != 0 || group() != 0) spica::group_barrier();
}
SPICA_KERNEL(hangs, 16, 0);
