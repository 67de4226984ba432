// SPDX-License-Identifier: Apache-2.0
// Shows: start-up on all cores, spawning, printing from several lanes of all warps.
// Arguments: none. Prints one line from the first and one from the last lane of every warp of every
// core.
#include <simt.h>
#include <spawn.h>
#include <stdio.h>

static void greet(unsigned id, void*) {
  const unsigned lane = simt_lane();
  SIMT_IF((lane == 0) | (lane == simt_lanes() - 1))
    printf("hello from core %u warp %u lane %u, task %u\n", simt_core(), simt_warp(), lane, id);
  SIMT_END_IF
}

int main() {
  spawn_tasks(spawn_threads(), greet, nullptr);
  return 0;
}
