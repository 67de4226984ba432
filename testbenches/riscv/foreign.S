/* SPDX-License-Identifier: Apache-2.0
 * Programs that expect another machine. */
  .section .text.init, "ax", @progbits
  .globl _start
_start:
  csrr a0, mhartid
  bnez a0, end
#if defined(STORE)
  li a1, STORE
  li a2, 0x1234
  sw a2, 0(a1)
#elif defined(TENSOR)
  .word 0x0000007B                      /* wmma */
#elif defined(BARRIER)
  li a1, 0
  li a2, 9                              /* more warps than there are */
  .insn r CUSTOM_0, 4, 0, x0, a1, a2
#endif
end:
  li gp, 0
  .insn r CUSTOM_0, 0, 0, x0, x0, x0
