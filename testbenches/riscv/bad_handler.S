/* SPDX-License-Identifier: Apache-2.0
 * A trap handler where there is no code: the fault is reported as if there were none. */
  .section .text.init, "ax", @progbits
  .globl _start
_start:
  li t0, 0x10000000
  csrw mtvec, t0
  .word 0xFFFFFFFF
