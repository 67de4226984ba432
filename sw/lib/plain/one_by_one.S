/* SPDX-License-Identifier: Apache-2.0
 *
 * For kernels in plain C++ (`spica cc`): functions whose code parts where lanes have different values, called in one lane
 * after the other. The linker puts these in the place of the originals (sw/plain.flags: --wrap). */

#define CSR_MASK 0xCC4

  .cfi_sections .debug_frame

.macro tmc mask
  .insn r CUSTOM_0, 0, 0, x0, \mask, x0
.endm

/* t1: the function; arguments and result in registers only. The lanes that wait keep theirs. */
  .section .text.simt_one_by_one, "ax", @progbits
  .type simt_one_by_one, @function
simt_one_by_one:
  .cfi_startproc
  addi sp, sp, -16
  .cfi_def_cfa_offset 16
  sw ra, 12(sp)
  sw s0, 8(sp)
  sw s1, 4(sp)
  sw s2, 0(sp)
  .cfi_offset ra, -4
  .cfi_offset s0, -8
  .cfi_offset s1, -12
  .cfi_offset s2, -16
  mv s2, t1
  csrr s0, CSR_MASK           /* the lanes to come back to */
  mv s1, s0                   /* the lanes still to run; both are equal in all lanes */
1:
  neg t0, s1
  and t0, t0, s1              /* the lowest of them */
  tmc t0
  jalr s2
  tmc s0
  addi t0, s1, -1
  and s1, s1, t0
  bnez s1, 1b
  lw ra, 12(sp)
  lw s0, 8(sp)
  lw s1, 4(sp)
  lw s2, 0(sp)
  .cfi_restore ra
  .cfi_restore s0
  .cfi_restore s1
  .cfi_restore s2
  addi sp, sp, 16
  .cfi_def_cfa_offset 0
  ret
  .cfi_endproc
  .size simt_one_by_one, . - simt_one_by_one

.macro one_by_one name
  .section .text.__wrap_\name, "ax", @progbits
  .globl __wrap_\name
  .type __wrap_\name, @function
__wrap_\name:
  la t1, __real_\name
  j simt_one_by_one
  .size __wrap_\name, . - __wrap_\name
.endm

/* how often they multiply depends on the exponent */
  one_by_one __powisf2
  one_by_one __powidf2

/* text; snprintf(), which may have arguments on the stack, is in snprintf.cpp */
  one_by_one strlen
  one_by_one strcmp
  one_by_one vsnprintf
