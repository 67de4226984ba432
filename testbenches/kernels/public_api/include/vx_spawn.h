/* SPDX-License-Identifier: Apache-2.0
 *
 * As vx_intrinsics.h: how a kernel of the public runtime starts its tasks. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*vx_spawn_tasks_cb)(int task_id, void* arg);

/* Runs callback(0..tasks-1, arg) on the threads of all cores; each core calls it and runs its share. */
void vx_spawn_tasks_cluster(int tasks, vx_spawn_tasks_cb callback, void* arg);

#ifdef __cplusplus
}
#endif
