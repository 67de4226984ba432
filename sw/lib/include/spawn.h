/* SPDX-License-Identifier: Apache-2.0
 *
 * Running a function on all lanes of all warps. Called by main() of every core; each core runs its
 * part.
 *
 * Task `id` runs on lane id % lanes of "cluster warp" id / lanes, and these rotate over the cores:
 *   id = lanes * (cores * warp + core) + lane
 * With more tasks than hardware threads a thread takes id, id + threads, ... one after the other.
 * With fewer, or when the last warp is only partly filled, the lanes and warps left over do not
 * run. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*spawn_task)(unsigned id, void* argument);

/* lanes * warps * cores of the machine */
unsigned spawn_threads(void);

/* Runs task(id, argument) for id = 0..tasks-1, and returns when the part of this core is done. A
 * barrier inside a task waits for warps of all cores, so it needs tasks == spawn_threads() (or a
 * multiple). */
void spawn_tasks(unsigned tasks, spawn_task task, void* argument);

/* Called by main() of every core: returns when all cores of all clusters have arrived; earlier memory
 * accesses are visible. The hardware's barrier covers one cluster: with one, simt_barrier(0, 1) does the
 * same and is faster. */
void spawn_barrier(void);

#ifdef __cplusplus
}
#endif
