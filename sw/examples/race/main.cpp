// SPDX-License-Identifier: Apache-2.0
// The worked example of docs/howto/find-a-race.md: a vector is reversed through shared memory. With -DFIXED it
// is right.
#include <platform.h>
#include <simt.h>
#include <spawn.h>

unsigned reversed[256];  // the result

static void reverse(unsigned thread, void*) {
  auto* const line = reinterpret_cast<volatile unsigned*>(PLATFORM_SHARED_BASE);
  line[thread] = 3 * thread;
#ifdef FIXED
  simt_barrier(0, simt_warps());
#endif
  reversed[thread] = line[255 - thread];
}

int main() {
  spawn_tasks(256, reverse, nullptr);
  return 0;
}
