/* SPDX-License-Identifier: Apache-2.0
 *
 * void simt_wait_alone(void): waits until warp 0 is the only active warp of the core. */
#include "assembly.inc"

  .section .text.simt_wait_alone, "ax", @progbits
  .globl simt_wait_alone
  .type simt_wait_alone, @function
simt_wait_alone:
  .cfi_startproc
  li t1, 1
1:
  csrr t0, CSR_ACTIVE_WARPS
  bne t0, t1, 1b
  ret
  .cfi_endproc
  .size simt_wait_alone, . - simt_wait_alone
