/* SPDX-License-Identifier: Apache-2.0
 * mstatus.FS: off, initial, clean and dirty, in both modes. */
#include "testbenches/riscv/traps.h"

#define FS_FIELD 0x6000
#define FS_CLEAN 0x4000

/* mstatus.FS := clean. */
.macro clean
  li t0, FS_FIELD
  csrc mstatus, t0
  li t0, FS_CLEAN
  csrs mstatus, t0
.endm

/* FS and SD after an instruction that finds FS clean: 0 clean, 1 dirty. */
.macro leaves number:req, dirty:req, instruction:vararg
  clean
  \instruction
  csrr a0, mstatus
  li t0, 0x80000000 | FS_FIELD
  and a0, a0, t0
  .if \dirty
  CHECK(\number, a0, 0x80000000 | FS_FIELD)
  .else
  CHECK(\number, a0, FS_CLEAN)
  .endif
.endm

ENVIRONMENT_BEGIN(MACHINE)
  la a2, data
  csrr a0, mstatus                      /* csrwi fcsr at the start was a change */
  li t0, 0x80000000 | FS_FIELD
  and a0, a0, t0
  CHECK(2, a0, 0x80000000 | FS_FIELD)
  leaves 3, 1, fadd.s fa0, fa1, fa2
  leaves 4, 1, flw fa0, 0(a2)
  leaves 5, 1, fmv.w.x fa0, a2
  leaves 6, 1, csrwi fflags, 0
  leaves 7, 1, csrw fcsr, zero
  leaves 8, 1, fsgnj.s fa0, fa1, fa1
  leaves 10, 0, fsw fa0, 0(a2)
  leaves 11, 0, fmv.x.w a0, fa0
  leaves 12, 0, csrr a0, fcsr
  leaves 13, 0, fclass.s a0, fa0
  leaves 14, 0, add a0, a0, a0

  li t0, FS_FIELD                       /* off */
  csrc mstatus, t0
  traps_with 20, 2, 0x00C5F553, fadd.s fa0, fa1, fa2
  traps_with 21, 2, 0x00062507, flw fa0, 0(a2)
  traps_with 22, 2, 0x00A62027, fsw fa0, 0(a2)
  traps_with 23, 2, 0xE0050553, fmv.x.w a0, fa0
  traps_with 24, 2, 0xF0060553, fmv.w.x fa0, a2
  traps_with 25, 2, 0x00302573, csrr a0, fcsr
  traps_with 26, 2, 0x00105073, csrwi fflags, 0
  traps_with 27, 2, 0x60C5F543, fmadd.s fa0, fa1, fa2, fa2
  traps_with 28, 2, 0xA0C5A553, feq.s a0, fa1, fa2
  li a4, 0x10000000                     /* before the address is looked at */
  traps_with 29, 2, 0x00072507, flw fa0, 0(a4)
  csrr a0, mstatus
  li t0, 0x80000000 | FS_FIELD
  and a0, a0, t0
  CHECK(30, a0, 0)
  passes 31, amoadd.w a0, a0, (a2)

  li t0, 0x2000                         /* initial */
  csrs mstatus, t0
  li t0, 0x3F800000
  fmv.w.x fa1, t0
  fadd.s fa0, fa1, fa1
  fmv.x.w a0, fa0
  CHECK(40, a0, 0x40000000)
  csrr a0, mstatus
  li t0, 0x80000000 | FS_FIELD
  and a0, a0, t0
  CHECK(41, a0, 0x80000000 | FS_FIELD)
  /* Many times on and off: the values stay. */
  li a5, 50
2:
  li t0, FS_FIELD
  csrc mstatus, t0
  csrs mstatus, t0
  fadd.s fa0, fa0, fa1
  clean
  fadd.s fa0, fa0, fa1
  addi a5, a5, -1
  bnez a5, 2b
  fcvt.w.s a0, fa0
  CHECK(42, a0, 102)

  /* Off in user mode. */
  li t0, FS_FIELD | 0x1880
  csrc mstatus, t0
  la t0, 9f
  csrw mepc, t0
  mret
9:
  traps_with 50, 2, 0x00C5F553, fadd.s fa0, fa1, fa2
  passes 51, add a0, a0, a0
  li gp, 1
  ecall                                 /* of user mode: the verdict */
  j failed
  ENVIRONMENT_END

  .globl test_handler
test_handler:
  csrr t5, mcause
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
  .word 0x3F800000, 0x40000000, 0, 0
