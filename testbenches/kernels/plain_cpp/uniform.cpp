// SPDX-License-Identifier: Apache-2.0
// Every function of the library that has assembly in it and gives a value, with the same operands in all lanes, and a
// branch that asks this value. A value that is taken for uniform and is not ends in a fault.
#include <math.h>
#include <simt.h>
#include <spawn.h>
#include <spica/atomic.h>
#include <spica/cuda.h>
#include <spica/simt.h>
#include <stdio.h>
#ifdef WITH_FRAGMENTS
#include <wmma.h>
#endif

namespace {

constexpr unsigned kTasks = 64, kChecks = 40;
unsigned counts[kChecks], words[kChecks];
int numbers[kChecks];
volatile float half = 0.5F;

/// Counts the tasks for which it is true.
#define ASK(number, condition) \
  if (condition) spica::atomic_add(&counts[number], 1u)

void task(unsigned, void* argument) {
  const auto& x = *static_cast<const float*>(argument);
  const unsigned four = static_cast<unsigned>(x * 4);
  ASK(0, spica::atomic_exchange(&words[0], 1u) == 0);
  ASK(1, spica::atomic_min(&words[1], 5u) == 9);
  ASK(2, spica::atomic_max(&words[2], 5u) == 0);
  ASK(3, spica::atomic_min(&numbers[3], -5) == 0);
  ASK(4, spica::atomic_max(&numbers[4], 5) == 0);
  ASK(5, spica::atomic_add(&words[5], 1u) == 0);
  ASK(6, spica::atomic_and(&words[6], 0u) == 7);
  ASK(7, spica::atomic_or(&words[7], 1u) == 0);
  ASK(8, spica::atomic_xor(&words[8], 1u) == 0);
  ASK(9, spica::atomic_compare_exchange(&words[9], 0u, 1u) == 0);
  ASK(10, simt_atomic_load(&words[10]) == 3);
  ASK(11, simt_multicast_load(&words[10]) == 3);
  ASK(12, simt_opaque(four) == 4);
  ASK(13, simt_uniform_word(four) == 4 && simt_unit(four, 4) == 4);
  ASK(14, simt_hide(four) == 4);
  ASK(15, simt_any(four) != 0);
  ASK(16, spica::ballot(four == 4) == simt_mask());
  ASK(17, spica::detail::settled(four) == 4);
  ASK(18, sqrtf(x) == 1);
  ASK(19, fminf(x, 2) == 1);
  ASK(20, fmaxf(x, 0.5F) == 1);
  ASK(21, fmaf(x, x, x) == 2);
  ASK(22, simt_cycle64() != 0);
  ASK(23, simt_lane() == 0);
  ASK(24, simt_hart() % simt_lanes() == 0);
  ASK(25, simt_warp() < simt_warps() && simt_core() < simt_cores() && simt_active_warps() != 0);
  ASK(26, simt_cycle() != 0 && simt_instructions() != 0);
  ASK(27, spica::shuffle(four, 0) == 4);
  unsigned asked = four / 4;
  const unsigned parted = simt_split(&asked);
  if (asked) spica::atomic_add(&counts[28], 1u);
  simt_join(parted);
#ifdef WITH_FRAGMENTS
  wmma::fragment<0, wmma::accumulator, 16, 16, 16, float> sums;
  wmma::fill_fragment(sums, x);
  ASK(29, wmma::get_register<0>(sums) == 1);
#else
  ASK(29, true);
#endif
  ASK(30, __float2int_rn(x) == 1);
  ASK(31, __float2uint_rn(x) == 1);
}

}  // namespace

int main() {
  static float one = 0.5F + half;
  if (simt_core() == 0) {
    words[1] = 9;
    words[6] = 7;
    words[10] = 3;
    simt_fence();
  }
  simt_barrier(0, 1);
  spawn_tasks(kTasks, task, &one);
  simt_barrier(0, 1);
  if (simt_core() != 0) return 0;
  bool is_right = true;
  for (unsigned i = 0; i < 32; ++i) {
    const unsigned must = i == 8               ? kTasks / 2
                          : i < 10             ? 1
                          : i == 23 || i == 24 ? kTasks / simt_lanes()
                                               : kTasks;
    if (counts[i] == must) continue;
    printf("%u: true in %u tasks, must be %u\n", i, counts[i], must);
    is_right = false;
  }
  if (is_right) printf("all counts are right\n");
  return !is_right;
}
