/* SPDX-License-Identifier: Apache-2.0 */
#include <vx_intrinsics.h>
#include <vx_spawn.h>

enum { MOST_CORES = 64 };

/* Of each core, for the warps that it starts. */
static struct {
  int tasks;
  vx_spawn_tasks_cb callback;
  void* arg;
} volatile spawned[MOST_CORES];

extern void vx_start_warp(void); /* vx_start.S */

/* What each lane of each warp does. Not inlined: what vx_spawn_tasks_cluster() has in registers is lane 0's only. */
__attribute__((noinline)) void vx_run_tasks(void) {
  const int core = vx_core_id(), lanes = vx_num_threads();
  const int step = lanes * vx_num_cores() * vx_num_warps();
  for (int id = (vx_warp_id() * vx_num_cores() + core) * lanes + vx_thread_id(); id < spawned[core].tasks; id += step)
    spawned[core].callback(id, spawned[core].arg);
}

void vx_spawn_tasks_cluster(int tasks, vx_spawn_tasks_cb callback, void* arg) {
  const int core = vx_core_id();
  spawned[core].tasks = tasks;
  spawned[core].callback = callback;
  spawned[core].arg = arg;
  vx_fence();
  vx_wspawn(vx_num_warps(), vx_start_warp);
  vx_tmc((1 << vx_num_threads()) - 1);
  vx_run_tasks();
  vx_tmc(1);
  while (vx_active_warps() != 1) {
  }
}
