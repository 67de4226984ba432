/* SPDX-License-Identifier: Apache-2.0
 * Checks that one instruction traps, and how. s0 cause, s1 mtval, s2 mepc, s3 where to go on. */
#define ENVIRONMENT_LEAVE j report_verdict
#include "testbenches/riscv/environment.h"

/* The instruction must trap; s1 is set before. */
.macro traps number:req, cause:req, instruction:vararg
  li gp, \number
  li s0, \cause
  la s2, 5f
  la s3, 6f
5:
  \instruction
  j failed
6:
.endm

.macro traps_with number:req, cause:req, value:req, instruction:vararg
  li s1, \value
  traps \number, \cause, \instruction
.endm

/* The instruction must not trap. */
.macro passes number:req, instruction:vararg
  li gp, \number
  li s0, -1
  \instruction
.endm

.macro handler
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
.endm
