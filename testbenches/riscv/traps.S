/* SPDX-License-Identifier: Apache-2.0
 * All exceptions in machine mode: cause, value, address, and that the instruction did nothing. */
#include "testbenches/riscv/traps.h"

ENVIRONMENT_BEGIN(MACHINE)
  la a2, data
  li a4, 0x10000000                     /* nothing is there */
  traps_with 2, 11, 0, ecall
  la s1, 7f
7:
  li gp, 3
  li s0, 3
  la s2, 7f
  la s3, 8f
  la s1, 7f
7:
  ebreak
  j failed
8:
  traps_with 4, 2, 0, .word 0
  traps_with 5, 2, 0xFFFFFFFF, .word 0xFFFFFFFF
  traps_with 6, 2, 0xC0001073, unimp
  traps_with 7, 2, 0x7C002573, csrr a0, 0x7C0          /* no such register */
  traps_with 8, 2, 0xF1401073, csrw mhartid, zero      /* read-only */
  li t0, 0
  traps_with 9, 2, 0xF142A073, csrs mhartid, t0        /* counts as a write */
  passes 10, csrr a0, mhartid
  passes 11, csrr a0, 0xCC1                            /* the SIMT extension's own */
  passes 12, csrr a0, 0xACC
  traps_with 13, 2, 0x10200073, sret
  traps_with 14, 2, 0x00200073, .word 0x00200073       /* uret */
  traps_with 15, 2, 0x12000073, sfence.vma
  passes 16, wfi
  passes 17, csrw pmpcfg0, zero

  la s1, data + 1
  traps 20, 4, lh a0, 1(a2)
  traps 21, 4, lhu a0, 1(a2)
  traps 22, 6, sh a0, 1(a2)
  la s1, data + 2
  addi a3, a2, 2
  traps 23, 4, lw a0, 2(a2)
  traps 24, 6, sw a0, 2(a2)
  traps 25, 4, flw fa0, 2(a2)
  traps 26, 6, fsw fa0, 2(a2)
  traps 27, 4, lr.w a0, (a3)
  traps 28, 6, sc.w a0, a0, (a3)
  traps 29, 6, amoadd.w a0, a0, (a3)

  traps_with 30, 5, 0x10000000, lw a0, 0(a4)
  traps_with 31, 5, 0x10000001, lbu a0, 1(a4)
  traps_with 32, 7, 0x10000000, sw a0, 0(a4)
  traps_with 33, 7, 0x10000003, sb a0, 3(a4)
  traps_with 34, 5, 0x10000000, lr.w a0, (a4)
  traps_with 35, 7, 0x10000000, sc.w a0, a0, (a4)
  traps_with 36, 7, 0x10000000, amoswap.w a0, a0, (a4)
  li a5, 0xFF010000                     /* the print buffer knows no atomics */
  traps_with 37, 7, 0xFF010000, amoor.w a0, a0, (a5)

  la t0, data + 2
  la s1, data + 2
  li t1, 77
  traps 40, 0, jalr t1, 0(t0)
  CHECK(41, t1, 77)                     /* no link */
  la s1, 5f + 6
  traps 42, 0, .word 0x00000363         /* beq x0, x0, +6 */
  passes 43, .word 0x00001363           /* bne x0, x0, +6: not taken */
  la s1, 5f + 6
  traps 44, 0, .word 0x0060006F         /* j +6 */
  /* Fetch: the trap is at the target. */
  li gp, 45
  li s0, 1
  li s1, 0x10000000
  li s2, 0x10000000
  la s3, 6f
  jr a4
6:
  li gp, 46
  li s1, 0xFF000000
  li s2, 0xFF000000
  la s3, 6f
  jr s1
6:
  traps_with 47, 2, 0x00005053, .word 0x00005053       /* fadd.s with rounding mode 5 */
  fsrmi 6
  traps_with 48, 2, 0x00007053, .word 0x00007053       /* and by frm */
  fsrmi 0

  /* An instruction that traps leaves everything as it was. */
  li a0, 55
  la s1, data + 2
  traps 50, 4, lw a0, 2(a2)
  CHECK(51, a0, 55)
  traps 52, 6, sw a0, 2(a2)
  lw a0, 0(a2)
  CHECK(53, a0, 0x11223344)
  lw a0, 4(a2)
  CHECK(54, a0, 0x55667788)
  /* What is behind it does not run before the handler. */
  li a0, 1
  li gp, 55
  li s0, 4
  la s2, 5f
  la s3, 6f
5:
  lw a1, 2(a2)
  addi a0, a0, 1
  addi a0, a0, 1
  addi a0, a0, 1
6:
  CHECK(56, a0, 1)

  /* Vectored: exceptions go to the base as well. */
  la t0, trap_entry
  ori t0, t0, 1
  csrw mtvec, t0
  csrr a0, mtvec
  li gp, 60
  bne a0, t0, failed
  traps_with 61, 11, 0, ecall
  la t0, trap_entry
  csrw mtvec, t0

  /* Fields that hold only some values. */
  li t0, -1
  csrw mepc, t0
  csrr a0, mepc
  CHECK(70, a0, 0xFFFFFFFC)
  li t0, 0x0800                         /* MPP = supervisor, which there is not */
  csrw mstatus, t0
  csrr a0, mstatus
  CHECK(71, a0, 0)
  li t0, -1
  csrw mstatus, t0
  csrr a0, mstatus
  CHECK(72, a0, 0x80007888)             /* SD FS MPP MPIE MIE */
  csrw mstatus, zero
  csrw mie, t0
  csrr a0, mie
  CHECK(73, a0, 0x888)
  csrr a0, mip
  CHECK(74, a0, 0)
  csrw satp, t0
  csrr a0, satp
  CHECK(75, a0, 0)
  csrw medeleg, t0
  csrr a0, medeleg
  CHECK(76, a0, 0)
  li t0, 0x12345678
  csrw mscratch, t0
  csrrw a0, mscratch, zero
  CHECK(77, a0, 0x12345678)
  csrr a0, mscratch
  CHECK(78, a0, 0)
  csrr a0, misa
  CHECK(79, a0, 0x40901121)
  ENVIRONMENT_END
  handler
  .data
  .balign 64
data:
  .word 0x11223344, 0x55667788
