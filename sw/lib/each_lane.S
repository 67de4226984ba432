/* SPDX-License-Identifier: Apache-2.0
 *
 * void simt_each_lane(void (*function)(void*), void* argument): calls a function with another thread mask. In assembly, because a
 * compiler moves code across a mask change; across a call it cannot. All lanes keep the registers a call must keep, also those
 * that sit out. */
#include "assembly.inc"

  .section .text.simt_each_lane, "ax", @progbits
  .globl simt_each_lane
  .type simt_each_lane, @function
simt_each_lane:
  .cfi_startproc
  addi sp, sp, -32
  .cfi_def_cfa_offset 32
  sw ra, 28(sp)
  sw s0, 24(sp)
  sw s1, 20(sp)
  sw s2, 16(sp)
  sw s3, 12(sp)
  .cfi_offset ra, -4
  .cfi_offset s0, -8
  .cfi_offset s1, -12
  .cfi_offset s2, -16
  .cfi_offset s3, -20
  mv s2, a0
  mv s3, a1
  csrr s0, CSR_MASK           /* the lanes to come back to */
  mv s1, s0                   /* the lanes still to run; equal in all lanes, as is s0 */
1:
  neg t0, s1
  and t0, t0, s1              /* the lowest of them */
  tmc t0
  mv a0, s3
  jalr s2
  tmc s0
  addi t0, s1, -1
  and s1, s1, t0
  bnez s1, 1b
  lw ra, 28(sp)
  lw s0, 24(sp)
  lw s1, 20(sp)
  lw s2, 16(sp)
  lw s3, 12(sp)
  .cfi_restore ra
  .cfi_restore s0
  .cfi_restore s1
  .cfi_restore s2
  .cfi_restore s3
  addi sp, sp, 32
  .cfi_def_cfa_offset 0
  ret
  .cfi_endproc
  .size simt_each_lane, . - simt_each_lane
