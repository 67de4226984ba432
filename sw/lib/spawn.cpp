// SPDX-License-Identifier: Apache-2.0
#include "spawn.h"

#include "built_for.h"
#include "platform.h"
#include "simt.h"

extern "C" {
void simt_run_spawned();  // called from assembly, by all lanes of a warp
void simt_run_warp_0();
void simt_spawned_warp();
void simt_wait_alone();
}

namespace {

struct Spawn {
  unsigned tasks;
  spawn_task task;
  void* argument;
};

// What a core's warps run. Written by warp 0 of the core; the other warps have no other way to know
// it, wspawn passes only the start address.
const Spawn* volatile current[PLATFORM_MAX_CORES];

}  // namespace

unsigned spawn_threads() { return simt_lanes() * simt_warps() * simt_cores(); }

void spawn_tasks(unsigned tasks, spawn_task task, void* argument) {
  const unsigned core = simt_core(), cores = simt_cores(), lanes = simt_lanes();
  const unsigned first = lanes * core;
  if (first >= tasks) return;
  const unsigned stride = lanes * cores;  // from warp to warp of a core
  const unsigned needed = (tasks - first + stride - 1) / stride;
  const unsigned warps = needed < simt_warps() ? needed : simt_warps();

  const Spawn spawn = {tasks, task, argument};
  current[core] = &spawn;
  simt_fence();  // the spawned warps must see it
  BUILT_FOR_HERE("cores", PLATFORM_MAX_CORES);
  if (warps > 1) simt_wspawn(warps, simt_spawned_warp);
  simt_run_warp_0();
  simt_wait_alone();
}

void spawn_barrier() {
  static unsigned arrived, round;
  simt_fence();
  const unsigned now = __atomic_load_n(&round, __ATOMIC_ACQUIRE);
  if (__atomic_add_fetch(&arrived, 1u, __ATOMIC_ACQ_REL) == simt_cores()) {
    __atomic_store_n(&arrived, 0u, __ATOMIC_RELAXED);
    simt_fence();
    __atomic_store_n(&round, now + 1, __ATOMIC_RELEASE);
  } else {
    while (__atomic_load_n(&round, __ATOMIC_ACQUIRE) == now) {
    }
  }
  simt_fence();
}

void simt_run_spawned() {
  const Spawn spawn = *current[simt_core()];
  const unsigned lane = simt_lane(), lanes = simt_lanes(), cores = simt_cores();
  const unsigned stride = lanes * cores * simt_warps();
  // Uniform in the warp: all lanes go through the loop together, the mask leaves out those without
  // a task.
  for (unsigned first = lanes * (cores * simt_warp() + simt_core()); first < spawn.tasks; first += stride) {
    const unsigned left = spawn.tasks - first;
    const unsigned mask = left < lanes ? (1u << left) - 1 : 0xFFFFFFFFu;
    simt_with_mask(spawn.task, first + lane, spawn.argument, mask);
    if (spawn.tasks - first <= stride) break;  // no overflow near 2^32 tasks
  }
}
