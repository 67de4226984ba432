// SPDX-License-Identifier: Apache-2.0
// Frame of the generated programs. The same source is compiled for the machine, where tasks take
// their sides lane by lane, and for the host, where a loop runs one task after the other with plain
// if and while: what the host prints is what the machine must leave in `results`.
#pragma once

#include <stdint.h>

constexpr unsigned kWords = 4;  // results per task

/// Generated. `out`: the task's results, `scratch`: a word of memory of its own.
void program(unsigned id, unsigned* out, unsigned* scratch);

#ifdef __riscv
#include <platform.h>
#include <simt.h>
#include <spawn.h>

static inline unsigned hide(unsigned value) { return simt_hide(value); }
static inline unsigned truth(bool condition) { return hide(condition); }

#define PROGRAM_MAIN(tasks)                                                                   \
  extern "C" unsigned results[tasks * kWords];                                                \
  unsigned results[tasks * kWords];                                                           \
  static void task(unsigned id, void*) {                                                      \
    auto* shared = reinterpret_cast<unsigned*>(static_cast<uintptr_t>(PLATFORM_SHARED_BASE)); \
    program(id, results + id * kWords, shared + id);                                          \
  }                                                                                           \
  int main() {                                                                                \
    spawn_tasks(tasks, task, nullptr);                                                        \
    return 0;                                                                                 \
  }

#else
#include <cstdio>

static inline unsigned hide(unsigned value) { return value; }
static inline unsigned truth(bool condition) { return condition; }

#define SIMT_IF(condition) if (condition) {
// clang-format off
#define SIMT_ELSE } else {
// clang-format on
#define SIMT_END_IF }
#define SIMT_WHILE(condition) while (condition) {
#define SIMT_END_WHILE }

#define PROGRAM_MAIN(tasks)                                  \
  int main() {                                               \
    for (unsigned id = 0; id < (tasks); ++id) {              \
      unsigned out[kWords] = {}, scratch = 0;                \
      program(id, out, &scratch);                            \
      for (unsigned word : out) std::printf("%08x\n", word); \
    }                                                        \
    return 0;                                                \
  }
#endif
