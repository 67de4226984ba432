/* SPDX-License-Identifier: Apache-2.0
 *
 * In programs of kernels only. A program with neither kernels nor main() is not linked. */
#include "assembly.inc"

  .section .text.simt_no_main, "ax", @progbits
  .globl simt_no_main
  .weak main
  .type main, @function
main:
simt_no_main:
  .cfi_startproc
  li a0, 1
  ret
  .4byte main_or_a_SPICA_KERNEL
  .cfi_endproc
  .size main, . - main
