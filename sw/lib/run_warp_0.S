/* SPDX-License-Identifier: Apache-2.0
 *
 * void simt_run_warp_0(void): from lane 0 of warp 0, runs the spawned function with all lanes.
 * Nothing is passed in registers: the other lanes do not have it. Only lane 0 comes back.
 *
 * For debuggers s0 holds where each lane came from. Lane 0 has a caller; the others last stood in
 * _start, which left its address in their ra, and so does this function at its end. */
#include "assembly.inc"

  .section .text.simt_run_warp_0, "ax", @progbits
  .globl simt_run_warp_0
  .type simt_run_warp_0, @function
simt_run_warp_0:
  .cfi_startproc
  addi sp, sp, -16
  .cfi_def_cfa_offset 16
  sw s0, 12(sp)               /* of lane 0; those of the others are not needed */
  .cfi_offset s0, -4
  li t0, -1
  tmc t0
  mv s0, ra
  .cfi_register ra, s0
  call simt_run_spawned
  mv ra, s0
  .cfi_same_value ra
  li t0, 1
  tmc t0
  lw s0, 12(sp)
  .cfi_restore s0
  addi sp, sp, 16
  .cfi_def_cfa_offset 0
  ret
  .cfi_endproc
  .size simt_run_warp_0, . - simt_run_warp_0
