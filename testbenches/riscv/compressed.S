/* SPDX-License-Identifier: Apache-2.0
 * Assembled for a core with compressed instructions, which the header of the program tells. */
  .option norvc
  .section .text.init, "ax", @progbits
  .globl _start
_start:
  csrr a0, mhartid
  bnez a0, end
#ifdef COMPRESSED
  .option rvc
  c.li a0, 0
  c.li a1, 0
  .option norvc
#endif
end:
  li gp, 0
  .insn r CUSTOM_0, 0, 0, x0, x0, x0
