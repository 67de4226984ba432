// SPDX-License-Identifier: Apache-2.0
// Four tasks whose lanes diverge, each with other data, for comparing ways to bring them together again.
//
// Shows: one source with the macros of simt.h, or (IRREGULAR_PLAIN) in plain C++: for the plugin of `spica cc`, or for
// a core whose lanes diverge by themselves (cluster.core.reconvergence: min_pc).
//
// Argument block
//    0  u32 kernel   0: Collatz steps, 1: escape time of a Mandelbrot set, 2: insertion sort, 3: nested loops
//    4  u32 check    not 0: compute everything once more, one after the other; exit code 1 when it is not the same
// Prints "cycles: N": from the first task to the last.
#include <arguments.h>
#include <simt.h>
#include <spawn.h>
#include <stdio.h>

#ifdef IRREGULAR_PLAIN
#undef SIMT_IF
#undef SIMT_ELSE
#undef SIMT_END_IF
#undef SIMT_WHILE
#undef SIMT_END_WHILE
#define SIMT_IF(condition) if (condition) {
#define SIMT_ELSE \
  }               \
  else {
#define SIMT_END_IF }
#define SIMT_WHILE(condition) while (condition) {
#define SIMT_END_WHILE }
#endif

struct Arguments {
  uint32_t kernel, check;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {0, 1};

static constexpr unsigned kTasks = 128, kNumbers = 16;
static unsigned results[kTasks];
static unsigned numbers[kTasks][1 + kNumbers];  // behind a zero, where all searches end

static unsigned scramble(unsigned x) {
  x = (x + 0x9E3779B9u) * 2654435761u;
  return x ^ x >> 15;
}

static unsigned collatz(unsigned id) {
  unsigned n = id + 1, count = 0;
  SIMT_WHILE(n != 1)
    SIMT_IF((n & 1) != 0)
      n = 3 * n + 1;
      SIMT_ELSE
      n = n / 2;
    SIMT_END_IF
    ++count;
  SIMT_END_WHILE
  return count;
}

static unsigned escape_time(unsigned id) {
  const float real = -2.0f + 0.1875f * static_cast<float>(id % 16),
              imaginary = 0.25f * static_cast<float>(id / 16) - 0.875f;
  float x = 0, y = 0;
  unsigned count = 0;
  SIMT_WHILE((static_cast<unsigned>(x * x + y * y < 4.0f) & static_cast<unsigned>(count < 100)) != 0)
    const float next = x * x - y * y + real;
    y = 2 * x * y + imaginary;
    x = next;
    ++count;
  SIMT_END_WHILE
  return count;
}

/// Sorts the numbers of the task; the position-weighted sum of the sorted ones.
static unsigned sorted_sum(unsigned id) {
  unsigned* const list = numbers[id];
  list[0] = 0;
  for (unsigned i = 1; i <= kNumbers; ++i) list[i] = scramble(id * kNumbers + i) % 1000;
  for (unsigned i = 2; i <= kNumbers; ++i) {
    const unsigned value = list[i];
    unsigned at = i;
    SIMT_WHILE(list[at - 1] > value)
      list[at] = list[at - 1];
      --at;
    SIMT_END_WHILE
    list[at] = value;
  }
  unsigned sum = 0;
  for (unsigned i = 1; i <= kNumbers; ++i) sum += i * list[i];
  return sum;
}

static unsigned nested(unsigned id) {
  unsigned sum = 0, i = 0;
  SIMT_WHILE(i < id % 7)
    unsigned j = i;
    SIMT_WHILE(j < scramble(id + i) % 11)
      SIMT_IF(((i ^ j) & 1) != 0)
        sum += i * j + 1;
        SIMT_ELSE
        sum ^= scramble(sum + j);
      SIMT_END_IF
      ++j;
    SIMT_END_WHILE
    ++i;
  SIMT_END_WHILE
  return sum;
}

static unsigned compute(unsigned kernel, unsigned id) {
  if (kernel == 0) return collatz(id);
  if (kernel == 1) return escape_time(id);
  if (kernel == 2) return sorted_sum(id);
  return nested(id);
}

static void task(unsigned id, void*) { results[id] = compute(arguments.kernel, id); }

int main() {
  simt_barrier(0, 1);
  const unsigned begin = simt_cycle();
  spawn_tasks(kTasks, task, nullptr);
  simt_barrier(0, 1);
  if (simt_core() != 0) return 0;
  printf("cycles: %u\n", simt_cycle() - begin);
  if (arguments.check == 0) return 0;
  for (unsigned id = 0; id < kTasks; ++id) {
    const unsigned found = results[id], expected = compute(arguments.kernel, id);
    if (found != expected) {
      printf("task %u of kernel %u is %u, must be %u\n", id, static_cast<unsigned>(arguments.kernel), found,
             expected);
      return 1;
    }
  }
  return 0;
}
