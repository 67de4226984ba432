/* SPDX-License-Identifier: Apache-2.0
 *
 * double __extendsfdf2(float): what the compiler calls to pass a float to printf. That of gcc
 * branches on the value, which lanes with different values must not do; this one has no branch. */

  .section .text.__extendsfdf2, "ax", @progbits
  .globl __extendsfdf2
  .type __extendsfdf2, @function
__extendsfdf2:
  fmv.x.w a0, fa0
  slli t0, a0, 1
  srli t0, t0, 24             /* exponent */
  seqz t1, t0
  neg t1, t1                  /* all ones when zero or subnormal */
  and t2, a0, t1              /* these times 2^64: exact, and normal unless zero; other values: 0 */
  fmv.w.x ft0, t2
  lui t3, 0x5F800
  fmv.w.x ft1, t3
  fmul.s ft0, ft0, ft1
  fmv.x.w t2, ft0
  not t3, t1
  and t3, t3, a0
  or t2, t2, t3               /* the normal number */
  slli t4, t2, 1
  srli t0, t4, 24             /* its exponent */
  andi t1, t1, 64
  sub t5, t0, t1
  addi t5, t5, 896            /* bias of double - bias of float */
  snez t1, t4
  neg t1, t1
  and t5, t5, t1              /* zero: exponent 0 */
  addi t0, t0, -255
  seqz t0, t0
  neg t0, t0
  andi t0, t0, 896
  add t5, t5, t0              /* infinity, not a number: 255 + 896 + 896 = 2047 */
  slli t5, t5, 20
  srli t3, t2, 31
  slli t3, t3, 31             /* sign */
  slli t4, t2, 9
  srli t4, t4, 12             /* upper 20 bits of the fraction */
  or a1, t5, t3
  or a1, a1, t4
  slli a0, t2, 29             /* lower 3 */
  ret
  .size __extendsfdf2, . - __extendsfdf2
