/* SPDX-License-Identifier: Apache-2.0
 * The end of a published program: characters to PUTCHAR, then every core stores its counters 0xB00-0xB1F and
 * 0xB80-0xB9F to 64 words at 0xFF080040 + 256 * core, and ends its warp. */
  .section .text.init, "ax", @progbits
  .globl _start
_start:
  csrr s0, mhartid
  andi s1, s0, 63
  li a0, PUTCHAR
  add a0, a0, s1
  csrr s2, 0xCC2                        /* core */
  addi a1, s2, '0'
  sb a1, 0(a0)
  li a1, '\n'
  sb a1, 0(a0)

  /* Work that the counters see: loads, stores, floating point, shared memory, lanes. */
  li t0, 0xFF
  .insn r CUSTOM_0, 0, 0, x0, t0, x0    /* tmc */
  csrr t1, 0xCC0
  slli t1, t1, 2
  la a2, data
  add a2, a2, t1
  li a3, 0xFF000000
  add a3, a3, t1
  li t2, 20
1:
  lw a4, 0(a2)
  fcvt.s.w fa0, a4
  fadd.s fa0, fa0, fa0
  sw a4, 32(a2)
  sw a4, 0(a3)
  lw a5, 0(a3)
  addi t2, t2, -1
  bnez t2, 1b
  csrr a4, minstret
  nop
  nop
  csrr a5, minstret
  sub a5, a5, a4                        /* the first csrr and two nops in 8 lanes */
  li t0, 1
  .insn r CUSTOM_0, 0, 0, x0, t0, x0

  slli t0, s2, 8
  li a0, 0xFF080040
  add a0, a0, t0
  .set number, 0
  .rept 32
  csrr t0, 0xB00 + number
  sw t0, 4 * number(a0)
  .set number, number + 1
  .endr
  .set number, 0
  .rept 32
  csrr t0, 0xB80 + number
  sw t0, 128 + 4 * number(a0)
  .set number, number + 1
  .endr
  la a1, result
  sw a5, 0(a1)
  fence
  li gp, 0
  .insn r CUSTOM_0, 0, 0, x0, x0, x0

  .data
  .balign 64
data:
  .fill 32, 4, 3
  .globl result
result:
  .word 0
