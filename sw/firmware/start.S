/* SPDX-License-Identifier: Apache-2.0
 *
 * Start and end of a firmware: the hart begins here with all registers zero, calls constructors and main(), and stops for good
 * when that returns. Loaders fill .bss with zeros. */
  .cfi_sections .debug_frame

  .section .text.firmware_start, "ax", @progbits
  .globl firmware_start
  .type firmware_start, @function
firmware_start:
  .cfi_startproc
  .cfi_undefined ra                      /* the outermost frame */
  .option push
  .option norelax
  la gp, __global_pointer$
  .option pop
  la sp, __stack_top
  la s0, __init_array_start
  la s1, __init_array_end
1:
  beq s0, s1, 2f
  lw t0, 0(s0)
  addi s0, s0, 4
  jalr t0
  j 1b
2:
  call main
  .insn r CUSTOM_0, 0, 0, x0, x0, x0     /* tmc 0 */
  .cfi_endproc
  .size firmware_start, . - firmware_start
