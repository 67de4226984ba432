// SPDX-License-Identifier: Apache-2.0
// Lanes that part, tasks of all warps in two rounds, an atomic addition: what the tests look at
// through one lane.
#include <platform.h>
#include <simt.h>
#include <spawn.h>

volatile unsigned results[64];
volatile float halves[64];
volatile unsigned total;

__attribute__((noinline)) void leaf(unsigned id) { results[id] = results[id] + id; }

__attribute__((noinline)) void parted(unsigned id) {
  const float half = 0.5f * static_cast<float>(id);
  SIMT_IF(id % 2 == 1)
  results[id] = 1;
  leaf(id);
  SIMT_ELSE
  results[id] = 2;
  leaf(id);
  SIMT_END_IF
  halves[id] = half;
}

static void first_task(unsigned id, void*) {
  parted(id);
  asm volatile("amoadd.w x0, %0, (%1)" : : "r"(1), "r"(&total) : "memory");
}

static void alone(void* id) { leaf(*static_cast<unsigned*>(id)); }

static void second_task(unsigned id, void*) {
  unsigned mine = id;
  simt_each_lane(alone, &mine);
}

int main() {
  spawn_tasks(64, first_task, nullptr);
  spawn_tasks(40, second_task, nullptr);
  simt_barrier(0, 1);
  return simt_core() == 0 ? static_cast<int>(total) : 0;
}
