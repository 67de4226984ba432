/* SPDX-License-Identifier: Apache-2.0
 *
 * void exit(int code): 0 in all lanes ends the warp; another code ends the program (exit.cpp). */
#include "assembly.inc"

  .section .text.exit, "ax", @progbits
  .globl exit
  .type exit, @function
exit:
  .cfi_startproc
  snez t0, a0
  .insn r CUSTOM_0, 2, 0, t1, t0, x0     /* split and join: do all lanes agree? */
  .insn r CUSTOM_0, 3, 0, x0, t1, x0
  or t1, t1, t0
  bnez t1, simt_exit_program
  j simt_end_warp
  .cfi_endproc
  .size exit, . - exit
