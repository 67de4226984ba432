/* SPDX-License-Identifier: Apache-2.0
 * Traps of warps with several lanes and of several warps: the whole warp traps with its mask, mtval belongs
 * to the lowest lane at fault, and every warp has a machine mode of its own. */
#include "testbenches/riscv/traps.h"

.macro tmc mask
  .insn r CUSTOM_0, 0, 0, x0, \mask, x0
.endm

ENVIRONMENT_BEGIN(MACHINE)
  li t0, 0xFF
  tmc t0
  la a2, data
  csrr a1, 0xCC0
  slli a3, a1, 2
  add a2, a2, a3                        /* lane n: word n */
  li a0, 55
  /* Lanes 3 and 5 are misaligned. */
  li t0, 0x28
  srl t0, t0, a1
  andi t0, t0, 1
  add a4, a2, t0
  la s1, data + 13
  traps 2, 4, lw a0, 0(a4)
  csrr a3, 0xCC4
  CHECK(3, a3, 0xFF)
  CHECK(4, a0, 55)                      /* in no lane */
  traps 5, 6, sw a0, 0(a4)
  lw a0, 0(a2)
  CHECK(6, a0, 0x01020304)
  /* Lanes 6 and 7 are nowhere. */
  sltiu t0, a1, 6
  addi t0, t0, -1
  li t1, 0x10000000
  and t1, t0, t1
  not t0, t0
  and t0, t0, a2
  or a4, t0, t1
  li s1, 0x10000000
  traps 7, 7, sw a0, 0(a4)

  /* Inside a split: the lanes that trapped go on, the others come later. */
  andi a3, a1, 1
  li a5, 0
  .insn r CUSTOM_0, 2, 0, a4, a3, x0    /* split */
  beqz a3, 7f
  li s1, 0
  traps 10, 11, ecall
  csrr a5, 0xCC4
  j 8f
7:
  csrr a5, 0xCC4
8:
  .insn r CUSTOM_0, 3, 0, x0, a4, x0    /* join */
  csrr a4, 0xCC4
  CHECK(11, a4, 0xFF)
  slli t0, a3, 0
  li t1, 0x55
  sll t1, t1, t0                        /* 0xAA in odd lanes, 0x55 in even ones */
  sub a5, a5, t1
  CHECK(12, a5, 0)
  li t0, 1
  tmc t0

  /* Another warp: no handler, then one of its own. */
  csrw mcause, zero
  li t0, 2
  la t1, other_warp
  .insn r CUSTOM_0, 1, 0, x0, t0, t1    /* wspawn */
  la a2, flag
1:
  lw a0, 0(a2)
  beqz a0, 1b
  CHECK(20, a0, 11)                     /* its mcause */
  lw a0, 4(a2)
  CHECK(21, a0, 0)                      /* its mtvec at the start */
  csrr a0, mcause
  CHECK(22, a0, 0)                      /* ours did not change */
  csrr a0, mscratch
  CHECK(23, a0, 0)
#if UNHANDLED
  li t0, 2
  la t1, warp_without_handler
  .insn r CUSTOM_0, 1, 0, x0, t0, t1
1:
  j 1b
#endif
  ENVIRONMENT_END
  handler

other_warp:
  csrr t2, mtvec
  la t0, other_handler
  csrw mtvec, t0
  csrw mscratch, t0
  ecall
.balign 4
other_handler:
  la a2, flag
  sw t2, 4(a2)
  fence
  csrr a0, mcause
  sw a0, 0(a2)
  csrw mtvec, zero                      /* no handler any more */
  tmc x0

warp_without_handler:
  ecall
  .data
  .balign 64
data:
  .fill 8, 4, 0x01020304
flag:
  .word 0, 0
