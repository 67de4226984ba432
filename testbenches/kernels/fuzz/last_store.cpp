// SPDX-License-Identifier: Apache-2.0
// A race that timing decides: every warp of every core stores its number to the same words, and the last one stays.
#include <simt.h>
#include <spawn.h>

static volatile unsigned last[32];

static void run(unsigned, void*) { last[simt_lane()] = simt_core() * simt_warps() + simt_warp(); /* race */ }

int main() {
  spawn_tasks(spawn_threads(), run, nullptr);
  return 0;
}
