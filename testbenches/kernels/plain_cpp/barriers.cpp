// SPDX-License-Identifier: Apache-2.0
// Barriers between parts in which lanes part: all threads of all cores meet at each, and read what others wrote before
// it. Exit code 1 when a thread saw something else.
#include <platform.h>
#include <simt.h>
#include <spawn.h>

static unsigned wrong;

static unsigned value(unsigned thread, unsigned round) {
  return (thread & 3) == (round & 3) ? thread * round + 7 : thread + round;
}

static void task(unsigned thread, void* argument) {
  const unsigned rounds = *static_cast<const unsigned*>(argument), threads = spawn_threads();
  auto* const words = reinterpret_cast<unsigned*>(static_cast<uintptr_t>(PLATFORM_SHARED_BASE));
  unsigned bad = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    if ((thread & 3) == (round & 3)) words[thread] = thread * round + 7;
    else words[thread] = thread + round;
    simt_barrier(0, simt_warps());
    unsigned other = (thread + 8 * round + 1) % threads;
    while ((other ^ thread) % 5 == 2) other = (other + 1) % threads;
    if (words[other] != value(other, round)) ++bad;
    simt_barrier(0, simt_warps());
    if (round % 3 == 1) {  // the same in all lanes
      words[thread] = round;
      simt_barrier(1, simt_warps());
      if ((thread & 1) != 0 && words[threads - 1 - thread] != round) ++bad;
      simt_barrier(1, simt_warps());
    }
    // The same condition before and behind: a compiler that knows of no lanes makes two paths, each with a barrier.
    const bool is_odd = ((thread ^ round) & 1) != 0;
    if (is_odd) words[thread] = thread * 3 + round;
    simt_barrier(2, simt_warps());
    if (is_odd && words[thread ^ 2] != (thread ^ 2) * 3 + round) ++bad;
    simt_barrier(2, simt_warps());
  }
  if (bad != 0) __atomic_fetch_add(&wrong, bad, __ATOMIC_RELAXED);
}

int main() {
  static unsigned rounds = 9;
  spawn_tasks(spawn_threads(), task, &rounds);
  simt_barrier(0, 1);
  return wrong != 0 ? 1 : 0;
}
