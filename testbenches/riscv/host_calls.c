/* SPDX-License-Identifier: Apache-2.0
 * What programs say to the host through tohost and fromhost; ENDING chooses how this one ends. */
#include <stdint.h>

volatile uint64_t tohost __attribute__((section(".tohost"), aligned(64)));
volatile uint64_t fromhost __attribute__((section(".tohost"), aligned(64)));
static volatile uint64_t block[8] __attribute__((aligned(64)));

__asm__(".section .text.init,\"ax\"\n.globl _start\n_start:\n"
        "csrr a0, mhartid\n1: bnez a0, 1b\n"
        "la sp, stack_end\n call main\n2: j 2b\n"
        ".bss\n.balign 16\n.space 1024\nstack_end:\n.text\n");

static void store(unsigned word, uint32_t value) { ((volatile uint32_t*)&tohost)[word] = value; }

static void put_low_word_first(char character) {
  store(0, (uint32_t)character);
  for (volatile int i = 0; i < 5; ++i) {
  }
  store(1, 0x01010000);
  while (tohost != 0) {
  }
}

static void put_high_word_first(char character) {
  store(1, 0x01010000);
  store(0, (uint32_t)character);
  while (tohost != 0) {
  }
}

static int call(uint64_t number, uint64_t a, uint64_t b, uint64_t c) {
  block[0] = number;
  block[1] = a;
  block[2] = b;
  block[3] = c;
  __sync_synchronize();
  tohost = (uintptr_t)block;
  while (fromhost == 0) {
  }
  fromhost = 0;
  return (int)block[0];
}

int main(void) {
  static const char text[] = "written by a system call\n";
  put_low_word_first('a');
  put_high_word_first('b');
  put_low_word_first('\n');
  if (call(64, 1, (uintptr_t)text, sizeof text - 1) != sizeof text - 1) tohost = 3;
  if (call(64, 7, (uintptr_t)text, 1) != -9) tohost = 5;
  if (call(64, 2, 0x10000000, 1) != -14) tohost = 7;
  if (call(1234, 0, 0, 0) != -38) tohost = 9;
#if ENDING == 0
  tohost = 1;
#elif ENDING == 1
  tohost = 42 << 1 | 1;
#elif ENDING == 2
  call(93, 7, 0, 0);
#elif ENDING == 3
  store(0, 1); /* the low word alone */
#elif ENDING == 4
  tohost = 0x10000000; /* an unmapped address */
#elif ENDING == 5
  store(1, 0x05000000); /* no such device */
  store(0, 0);
  tohost = 1;
#endif
  for (;;) {
  }
}
