/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a list of matrix-unit commands on a whole machine (see matrix_program.cpp): all threads fill
 * shared memory from SHARED_BEFORE, thread 0 of core 0 gives the commands, all threads copy shared
 * memory to SHARED_AFTER. List: the unit's number, then 1 function rs1 rs2 (64 bits each) | 2 word
 * | 3 (fence) ..., ended by 0. */
#define MATRIX_UNIT_ANY  // the host makes the commands for the unit at hand
#include <matrix_unit.h>
#include <spawn.h>

#define COMMANDS ((const volatile unsigned*)0xB0000000u)
#define SHARED_BEFORE ((volatile unsigned*)0xB1000000u)
#define SHARED_AFTER ((volatile unsigned*)0xB2000000u)
#define SHARED ((volatile unsigned*)PLATFORM_SHARED_BASE)

static void copy(unsigned id, void* argument) {
  const volatile unsigned* const from = argument != 0 ? SHARED : SHARED_BEFORE;
  volatile unsigned* const to = argument != 0 ? SHARED_AFTER : SHARED;
  for (unsigned i = 0; i < PLATFORM_SHARED_SIZE / 4; i += spawn_threads())
    to[i + id] = from[i + id];
}

static void run(void) {
  const volatile unsigned* next = COMMANDS;
  const unsigned unit = *next++;
  for (;;) {
    switch (*next++) {
      case 1:
        matrix_unit_command(unit, next[0], next[1] | (uint64_t)next[2] << 32,
                            next[3] | (uint64_t)next[4] << 32);
        next += 5;
        break;
      case 2:
        matrix_unit_cisc(unit, *next++);
        break;
      case 3:
        for (unsigned i = 0; i < 4; ++i) matrix_unit_fence(unit);
        break;
      default:
        return;
    }
  }
}

int main(void) {
  spawn_tasks(spawn_threads(), copy, 0);
  simt_barrier(0, 1);
  if (simt_core() == 0) run();
  simt_barrier(0, 1);
  spawn_tasks(spawn_threads(), copy, (void*)1);
  return 0;
}
