// SPDX-License-Identifier: Apache-2.0
// What the tests of the debugger walk through: a loop with calls and memory accesses on core 0, then all
// warps of all cores with lanes that part and a barrier. Exit code 7.
#include <platform.h>
#include <simt.h>
#include <spawn.h>
#include <stdio.h>

volatile unsigned counter;
volatile unsigned results[1024];
static volatile unsigned* const shared = reinterpret_cast<volatile unsigned*>(PLATFORM_SHARED_BASE);

__attribute__((noinline)) unsigned triple(unsigned x) {
  volatile unsigned twice = 2 * x;
  return twice + x;
}

__attribute__((noinline)) void count() {
  for (unsigned i = 1; i <= 3; ++i) {
    const unsigned value = triple(i);
    counter = value;
    shared[5] = value + 100;
  }
}

__attribute__((noinline)) void sides(unsigned id) {
  SIMT_IF(id % 2 == 1)
  results[id] = 1;
  SIMT_ELSE
  results[id] = 2;
  SIMT_END_IF
}

static void task(unsigned id, void*) {
  sides(id);
  simt_barrier(1, simt_warps());
  results[id] = results[id] + 10;
}

int main() {
  if (simt_core() == 0) count();
  spawn_tasks(spawn_threads(), task, nullptr);
  simt_barrier(0, 1);
  if (simt_core() != 0) return 0;
  printf("counter is %u\n", counter);
  return 7;
}
