// SPDX-License-Identifier: Apache-2.0
// A line that takes for ever, with a call in each turn: what a user wants to stop while gdb steps
// over it.
#include <simt.h>

volatile unsigned turns;
volatile unsigned stop;

__attribute__((noinline)) void turn() { turns = turns + 1; }

__attribute__((noinline)) void spin() {
  while (stop == 0) turn();
}

__attribute__((noinline)) void short_spin() {
  for (unsigned i = 0; i < 20000; ++i) asm volatile("" ::: "memory");
  turns = 7;
}

int main() {
  if (simt_core() != 0) return 0;
  short_spin();
  spin();
  return 5;
}
