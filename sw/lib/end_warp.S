/* SPDX-License-Identifier: Apache-2.0
 *
 * void simt_end_warp(int code): ends the warp, on warp 0 of a core after what atexit() and
 * destructors want. The platform takes the exit code of the program from gp of warp 0, lane 0 of
 * core 0 when all warps of all cores have ended. */
#include "assembly.inc"

  .section .text.simt_end_warp, "ax", @progbits
  .globl simt_end_warp
  .globl _exit
  .globl simt_end_warp_now
  .type simt_end_warp, @function
simt_end_warp:
  .cfi_startproc
  addi t0, x0, %lo(__exit_hook_bytes)
  bnez t0, 1f
_exit:
simt_end_warp_now:
  fence iorw, iorw
  mv gp, a0
  tmc x0
1:
  la t0, __exit_hook_start
  lw t0, 0(t0)
  jr t0
  .cfi_endproc
  .size simt_end_warp, . - simt_end_warp
