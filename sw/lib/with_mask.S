/* SPDX-License-Identifier: Apache-2.0
 *
 * void simt_with_mask(void (*function)(unsigned, void*), unsigned id, void* argument,
 *                     unsigned mask): calls a function with another thread mask. In assembly, because a
 * compiler moves code across a mask change; across a call it cannot. All lanes keep the registers a call must keep, also those
 * that sit out. */
#include "assembly.inc"

  .section .text.simt_with_mask, "ax", @progbits
  .globl simt_with_mask
  .type simt_with_mask, @function
simt_with_mask:
  .cfi_startproc
  addi sp, sp, -16
  .cfi_def_cfa_offset 16
  sw ra, 12(sp)
  sw s0, 8(sp)
  .cfi_offset ra, -4
  .cfi_offset s0, -8
  csrr s0, CSR_MASK
  mv t0, a0
  mv a0, a1
  mv a1, a2
  tmc a3
  jalr t0
  tmc s0
  lw ra, 12(sp)
  lw s0, 8(sp)
  .cfi_restore ra
  .cfi_restore s0
  addi sp, sp, 16
  .cfi_def_cfa_offset 0
  ret
  .cfi_endproc
  .size simt_with_mask, . - simt_with_mask
