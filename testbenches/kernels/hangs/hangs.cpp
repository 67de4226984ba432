// SPDX-License-Identifier: Apache-2.0
// Programs that never end, each for another reason, chosen by -DHANG=n. The test wants the cause in the first
// sentence of the report, and the line that is marked here.
#include "matrix_unit.h"
#include "simt.h"
#include "spawn.h"

namespace {

volatile unsigned flag;
volatile unsigned turns;
unsigned lock_a, lock_b;

__attribute__((noinline)) void take(unsigned* lock) {
  unsigned old;
  do {
    __asm__ volatile("amoswap.w %0, %1, (%2)" : "=r"(old) : "r"(1u), "r"(lock) : "memory");
  } while (old != 0); /* lock */
}

void give(unsigned* lock) { __asm__ volatile("amoswap.w x0, x0, (%0)" ::"r"(lock) : "memory"); }

__attribute__((noinline)) void delay(unsigned turns_left) {
  for (; turns_left != 0; --turns_left) __asm__ volatile("");
}

/// Everything below runs in all lanes of all warps of all cores; what is said about a warp holds for each of
/// its lanes.
void worker(unsigned, void*) {
  const unsigned core = simt_core(), warp = simt_warp(), warps = simt_warps();
  switch (HANG) {
    case 1:  // half of the warps go to another barrier
      if (warp < warps / 2) simt_barrier(0, warps); /* barrier 0 */
      else simt_barrier(1, warps); /* barrier 1 */
      break;
    case 2:  // one warp leaves early
      if (core == 0 && warp == 2) break;
      simt_barrier(1, warps); /* early */
      break;
    case 3:  // a core does not come
      if (core == 1) break;
      simt_barrier(2, warps); /* core */
      break;
    case 4:  // more warps than there are
      simt_barrier(0, 16); /* sixteen */
      break;
    case 5:  // they do not agree, and the one with the smaller count comes last
      if (warp == 0) delay(3000);
      simt_barrier(3, warp == 0 ? warps - 1 : warps); /* disagree */
      break;
    case 6:  // the one who would set the flag waits at a barrier for the one who waits for the flag
      if (core == 0 && warp == 1)
        while (flag == 0) continue; /* flag */
      simt_barrier(0, warps);
      flag = 1;
      break;
    case 7:  // two locks, taken in both orders by one lane each
      if (warp > 1) break;
      if (core == 0)
        simt_with_mask([](unsigned w, void*) { take(w == 0 ? &lock_a : &lock_b); }, warp, nullptr, 1);
      simt_barrier(4, 2);
      if (core == 0)
        simt_with_mask([](unsigned w, void*) { take(w == 0 ? &lock_b : &lock_a); }, warp, nullptr, 1);
      break;
    case 14:  // one waits for another that has much to do
      if (core != 0 || warp > 1) break;
      if (warp == 1)
        while (flag == 0) continue;
      for (unsigned i = 0; i < 1000000000; ++i) __asm__ volatile("");
      break;
    case 15:  // they do not agree, and the barrier, slow to release, is complete for one count and for the other
      if (warp > 1) break;
      simt_barrier(1, 2);
      if (core == 0) delay(100 + 2 * warp);
      simt_barrier(0, core == 0 ? warp + 1 : 2);
      break;
    default: break;
  }
}

}  // namespace

int main() {
  if (HANG <= 7 || HANG >= 14) {
    spawn_tasks(spawn_threads(), worker, nullptr);
    return 0;
  }
  if (simt_core() != 0) return 0;
  switch (HANG) {
    case 8:  // nobody sets the flag; the turns are counted in memory
      while (flag == 0) turns = turns + 1; /* counted */
      break;
    case 9:  // a poll with a pause
      for (unsigned i = 0; flag == 0; ++i) delay(500); /* pause */
      break;
    case 10:  // waits for a unit that was never started to become busy
      while (!matrix_unit_busy(0)) continue; /* unit */
      break;
    case 11:  // a machine with more cores
      for (unsigned cores = 0; cores < 64;) __asm__ volatile("csrr %0, 0xFC2" : "=r"(cores)); /* cores */
      break;
    case 12:  // a lock that it already has
      take(&lock_a);
      take(&lock_a);
      give(&lock_a);
      break;
    case 13:  // no way out
      for (;;) __asm__ volatile(""); /* endless */
    default: break;
  }
  return 0;
}
