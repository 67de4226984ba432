/* SPDX-License-Identifier: Apache-2.0
 * Programs that expect another machine, and some that do not. */
  .section .text.init, "ax", @progbits
  .globl _start
_start:
#ifdef CORES                            /* the first ones */
  csrr a0, 0xCC2
  li a1, CORES
  bgeu a0, a1, end
#else
  csrr a0, mhartid
  bnez a0, end
#endif
#ifdef PRINT
  li a1, PRINT
  li a2, 'x'
  sb a2, 0(a1)
#endif
#ifdef STORE
  li a1, STORE
  li a2, VALUE
  sw a2, 0(a1)
#endif
#if defined(TENSOR)
  .word TENSOR
#elif defined(WARPS)
  li a1, 0
  li a2, WARPS
  .insn r CUSTOM_0, 4, 0, x0, a1, a2    /* bar */
#elif defined(LOOP)
1:
  j 1b
#endif
end:
  li gp, 0
  .insn r CUSTOM_0, 0, 0, x0, x0, x0
