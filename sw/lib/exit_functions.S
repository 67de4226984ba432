/* SPDX-License-Identifier: Apache-2.0
 *
 * void simt_exit_functions(void): calls what atexit() and destructors have registered. */
#include "assembly.inc"

  .section .text.simt_exit_functions, "ax", @progbits
  .globl simt_exit_functions
  .type simt_exit_functions, @function
simt_exit_functions:
  .cfi_startproc
  addi t0, x0, %lo(__exit_hook_bytes)
  beqz t0, 1f
  la t0, __exit_hook_start
  lw t0, 4(t0)
  jr t0
1:
  ret
  .cfi_endproc
  .size simt_exit_functions, . - simt_exit_functions
