// SPDX-License-Identifier: Apache-2.0
// Somebody's program outside of the repository: it hangs in one of these ways. The test copies it into a folder of its
// own and builds it there by the line of docs/howto/write-a-kernel.md.
#include <arguments.h>
#include <matrix_unit.h>
#include <simt.h>
#include <spawn.h>

struct Arguments {
  unsigned number;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {0};

static volatile unsigned flag;
static unsigned lock_word;

static void wait_for_flag(void) {
  while (simt_atomic_load(&flag) == 0) continue; /* poll */
}

// Lane 0 waits for what lanes 1 to 7 of its warp would do behind it.
__attribute__((noinline)) static void lane_0_polls(void) {
  SIMT_IF(simt_lane() == 0) /* split */
  wait_for_flag(); /* inlined */
  SIMT_ELSE
  flag = 1;
  SIMT_END_IF
}

// The lane that has the lock waits at the join for the others, which wait for the lock.
__attribute__((noinline)) static void lock_in_a_warp(void) {
  unsigned has = 0;
  SIMT_WHILE(!has) /* while */
  unsigned old;
  __asm__ volatile("amoswap.w %0, %1, (%2)" : "=r"(old) : "r"(1u), "r"(&lock_word) : "memory"); /* swap */
  has = old == 0;
  SIMT_END_WHILE
  lock_word = 0;
}

static void task(unsigned, void*) {
  const bool first = simt_core() == 0 && simt_warp() == 0;
  switch (arguments.number) {
    case 0:
      if (first) lane_0_polls();
      break;
    case 1:
      if (first) lock_in_a_warp();
      break;
    case 2:
      if (!first) simt_barrier(0, simt_warps()); /* barrier */
      break;
    case 3:
      if (first) matrix_unit_fence(0), wait_for_flag(); /* fence */
      break;
    default: break;
  }
}

int main() {
  if (arguments.number == 4 && simt_core() == 0)
    while (!matrix_unit_busy(0)) continue; /* busy */
  spawn_tasks(spawn_threads(), task, nullptr);
  return 0;
}
