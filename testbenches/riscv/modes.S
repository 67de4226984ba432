/* SPDX-License-Identifier: Apache-2.0
 * User and machine mode: what mstatus says on the way in and out, and what user mode may not do. */
#include "testbenches/riscv/traps.h"

/* To user mode, which goes on at 9. */
.macro to_user
  la t0, 9f
  csrw mepc, t0
  li t0, 0x1880
  csrc mstatus, t0
  li t0, 0x80                           /* MPIE */
  csrs mstatus, t0
  mret
9:
.endm

ENVIRONMENT_BEGIN(MACHINE)
  la t0, mode_handler
  csrw mtvec, t0
  csrr a0, mstatus
  li t0, 0x1888
  and a0, a0, t0
  CHECK(2, a0, 0x80)                    /* after mret: MPP is user, MPIE 1, MIE 0 */
  to_user
  li gp, 3
  la s4, after_call                     /* where the call of user mode ends */
  ecall
  j failed
after_call:                             /* in machine mode, still in the handler */
  csrr a0, mstatus
  li t0, 0x1888
  and a0, a0, t0
  CHECK(4, a0, 0x80)                    /* came from user mode with MIE 1 */
  csrr a0, mcause
  CHECK(5, a0, 8)

  to_user
  li s4, 0
  la a2, data
  li a4, 0x10000000
  traps_with 10, 2, 0x30002573, csrr a0, mstatus
  traps_with 11, 2, 0xF1402573, csrr a0, mhartid
  traps_with 12, 2, 0xB0002573, csrr a0, mcycle
  traps_with 13, 2, 0x30200073, mret
  traps_with 14, 5, 0x10000000, lw a0, 0(a4)
  traps_with 15, 7, 0x10000000, sw a0, 0(a4)
  la s1, data + 2
  addi a3, a2, 2
  traps 16, 6, amoadd.w a0, a0, (a3)
  passes 17, csrr a0, 0xCC0
  passes 18, csrw fcsr, zero
  passes 19, wfi

  /* The counters: open, and they count. */
  li gp, 20
  rdcycle a0
  rdcycle a1
  bgeu a0, a1, fail_near
  rdtime a0
  rdtime a1
  bgeu a0, a1, fail_near
  rdinstret a0
  nop
  nop
  nop
  rdinstret a1
  sub a0, a1, a0
  CHECK(21, a0, 4)
  rdcycleh a0
  CHECK(22, a0, 0)
  rdinstreth a0
  CHECK(23, a0, 0)
  rdtimeh a0
  CHECK(24, a0, 0)

  /* A misaligned access is completed here, as by an environment. */
  lw a0, 2(a2)
  CHECK(30, a0, 0x77881122)
  lh a0, 1(a2)
  CHECK(31, a0, 0x2233)
  lh a0, 7(a2)
  CHECK(32, a0, 0xFFFFBB55)
  lhu a0, 7(a2)
  CHECK(33, a0, 0xBB55)
  flw fa0, 1(a2)
  fmv.x.w a0, fa0
  CHECK(34, a0, 0x88112233)
  mv a0, a2
  lw a0, 5(a0)                          /* the base is overwritten */
  CHECK(35, a0, 0xBB556677)
  li t0, 0xA1B2C3D4
  sw t0, 29(a2)                         /* across a cache line */
  lw a0, 29(a2)
  CHECK(36, a0, 0xA1B2C3D4)
  lbu a0, 28(a2)
  CHECK(37, a0, 0x01)
  lbu a0, 33(a2)
  CHECK(38, a0, 0x07)
  lbu a0, 32(a2)
  CHECK(39, a0, 0xA1)
  sh t0, 1(a2)
  lw a0, 0(a2)
  CHECK(40, a0, 0x11C3D444)
  fmv.w.x fa1, t0
  fsw fa1, 3(a2)
  lw a0, 4(a2)
  CHECK(41, a0, 0x55A1B2C3)
  li a5, 0xFF000001                     /* and in shared memory */
  sw t0, 0(a5)
  lw a0, 0(a5)
  CHECK(42, a0, 0xA1B2C3D4)
  lw a0, -1(a5)
  CHECK(43, a0, 0xB2C3D400)
  li a5, 0xFF00FFFE                     /* its last bytes */
  li s1, 0xFF010001
  traps 44, 5, lw a0, 0(a5)

  /* Machine mode closes the counters. */
  la s4, close_counters
  ecall
close_counters:
  csrw mcounteren, zero
  to_user
  li s4, 0
  traps_with 50, 2, 0xC0002573, rdcycle a0
  traps_with 51, 2, 0xC0202573, rdinstret a0
  la s4, done
  ecall
done:
  j 1f
fail_near:
  j failed
1:
  ENVIRONMENT_END

/* A call of user mode ends in machine mode at s4; other traps as they are expected. */
  .balign 4
mode_handler:
  csrr t5, mcause
  li t6, 8
  bne t5, t6, 1f
  jr s4
1:
  bne t5, s0, failed_in_handler
  csrr t5, mtval
  bne t5, s1, failed_in_handler
  csrr t5, mepc
  bne t5, s2, failed_in_handler
  csrw mepc, s3
  mret
failed_in_handler:
  j failed
  .data
  .balign 64
data:
  .word 0x11223344, 0x55667788, 0x99AABB, 0, 0, 0, 0, 0x05040301, 0x09080706
