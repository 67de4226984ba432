/* SPDX-License-Identifier: Apache-2.0
 * Floating point without a trap handler: mstatus is not touched, or written with FS 0. */
  .section .text.init, "ax", @progbits
  .globl _start
_start:
  csrr a0, mhartid
  bnez a0, end
#ifdef WRITE
  li a1, WRITE
  csrw mstatus, a1
#endif
  csrr a2, mstatus
  li a0, 0x40400000
  fmv.w.x fa0, a0
  fcvt.w.s a0, fa0
  addi a0, a0, -3
  csrr a1, mstatus
  xor a1, a1, a2
end:
  mv gp, a0
  bnez a0, 1f
  mv gp, a1                             /* bits of mstatus that have changed */
1:
  .insn r CUSTOM_0, 0, 0, x0, x0, x0
