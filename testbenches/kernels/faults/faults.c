/* SPDX-License-Identifier: Apache-2.0
 * Programs that go wrong in one way each, chosen by -DFAULT=n. The tests look for the message and for the
 * source line, which is why each mistake stands in a function of its own. */
#include "simt.h"
#include "stdio.h"

__attribute__((noinline)) static void illegal_instruction(void) {
  __asm__ volatile(".insn r CUSTOM_0, 7, 0x7f, x31, x31, x31"); /* illegal */
}

__attribute__((noinline)) static int misaligned_load(void) {
  int value;
  __asm__ volatile("lw %0, 2(%1)" : "=r"(value) : "r"(0x80000000)); /* misaligned */
  return value;
}

__attribute__((noinline)) static void unmapped_store(void) {
  *(volatile int*)0x10000000 = 1; /* unmapped */
}

__attribute__((noinline)) static void divergent_branch(volatile int* out) {
  const unsigned lane = simt_lane();
  __asm__ volatile goto("bnez %0, %l1" ::"r"(lane)::odd); /* divergent */
  *out = 1;
  return;
odd:
  *out = 2;
}

__attribute__((noinline)) static void join_without_split(void) {
  __asm__ volatile(".insn r CUSTOM_0, 3, 0, x0, %0, x0" ::"r"(1));
}

__attribute__((noinline)) static void barrier_too_many(void) { simt_bar(1, simt_warps() + 1); }

__attribute__((noinline)) static void spin_for_ever(volatile int* flag) {
  while (*flag == 0) {
  }
}

__attribute__((noinline)) static void bad_matrix_command(void) {
  volatile unsigned* registers = (volatile unsigned*)0xFF013000;
  registers[0] = 0x0000307B | 63u << 25; /* no such function */
}

__attribute__((noinline)) static void end_warp(void) { simt_tmc(0); }
__attribute__((noinline)) static void spawn_too_many(void) { simt_wspawn(16, end_warp); }

static volatile int value;

int main(void) {
  if (simt_core() != 0) return 0;
  printf("about to fail\n");
  switch (FAULT) {
    case 1: illegal_instruction(); break;
    case 2: return misaligned_load();
    case 3: unmapped_store(); break;
    case 4:
      simt_tmc(0xFF);
      divergent_branch(&value);
      simt_tmc(1);
      break;
    case 5: join_without_split(); break;
    case 6: barrier_too_many(); break;
    case 7: spin_for_ever(&value); break;
    case 8: bad_matrix_command(); break;
    case 9: return 42;
    case 10: spawn_too_many(); break;
    default: break;
  }
  return 0;
}
