// SPDX-License-Identifier: Apache-2.0
// Frame of programs in plain C++ that are compiled for the machine and for the host: the machine must leave in
// `results` what the host writes to its output.
#pragma once

#include <stdint.h>

#define NOINLINE __attribute__((noinline))

constexpr unsigned kTasks = 70;  // the last warp of 4, 8, 16 or 32 lanes is not full

/// A number that the compiler cannot know.
static NOINLINE unsigned scramble(unsigned x) {
  x = (x + 0x9E3779B9u) * 2654435761u;
  x ^= x >> 15;
  return x * 2246822519u ^ x >> 13;
}

static unsigned table[64];
static void fill_table() {
  for (unsigned i = 0; i < 64; ++i) table[i] = scramble(i * 77) >> (i % 29);
}

#ifdef __riscv
#include <simt.h>
#include <spawn.h>
#define PROGRAM_MAIN(words, program)                                            \
  extern "C" unsigned results[kTasks * (words)];                                \
  unsigned results[kTasks * (words)];                                           \
  static void task(unsigned id, void*) { program(id, results + id * (words)); } \
  int main() {                                                                  \
    if (simt_core() == 0) fill_table();                                         \
    simt_barrier(0, 1);                                                         \
    spawn_tasks(kTasks, task, nullptr);                                         \
    return 0;                                                                   \
  }
#else
#include <cstdio>
#define PROGRAM_MAIN(words, program)                     \
  int main() {                                           \
    fill_table();                                        \
    for (unsigned id = 0; id < kTasks; ++id) {           \
      unsigned out[words] = {};                          \
      program(id, out);                                  \
      std::fwrite(out, sizeof(unsigned), words, stdout); \
    }                                                    \
  }
#endif
