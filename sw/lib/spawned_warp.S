/* SPDX-License-Identifier: Apache-2.0
 *
 * Where warps 1.. start: all lanes on, run, end. gp, sp and tp are as _start left them. */
#include "assembly.inc"

  .section .text.simt_spawned_warp, "ax", @progbits
  .globl simt_spawned_warp
  .type simt_spawned_warp, @function
simt_spawned_warp:
  .cfi_startproc
  .cfi_undefined ra           /* the outermost frame */
  li t0, -1
  tmc t0
  call simt_run_spawned
  tmc x0
  .cfi_endproc
  .size simt_spawned_warp, . - simt_spawned_warp
