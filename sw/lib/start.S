/* SPDX-License-Identifier: Apache-2.0
 *
 * Start and end of a program. Every core starts here, in warp 0 with lane 0 only and all registers
 * zero.
 *
 * The image in memory is shared by all cores, so what changes it may happen only once:
 *  - .bss needs no clearing, loaders fill a segment behind its file part with zeros
 *    (p_memsz > p_filesz);
 *  - constructors run on core 0; the other cores of its cluster wait at barrier 0 for them, those of
 *    other clusters for a word in memory.
 * Then every core calls main(), in warp 0 with lane 0 only. */
#include "platform.h"
#include "assembly.inc"

/* A note in the ELF, see include/built_for.h. */
  .altmacro
.macro built_for key, value
  .pushsection .note.spica, "", @note
  .balign 4
  .4byte 6, 3f - 2f, 0x101
  .asciz "Spica"
  .balign 4
2:
  .4byte 1
  .asciz "\key=\value"
  .balign 4
3:
  .popsection
.endm
  built_for stack.top, %(PLATFORM_STACK_TOP)
  built_for stack.stride, %(PLATFORM_STACK_STRIDE)
  built_for stack.bytes, %(PLATFORM_STACK_BYTES)
  .noaltmacro

#include "lane_registers.inc"

  .section .text.start, "axG", @progbits, simt_start_code
  .globl _start
  .type _start, @function
_start:
  .cfi_startproc
  .cfi_undefined ra                      /* the outermost frame */
  csrr t0, CSR_WARPS
  la t1, start_warp
  .insn r CUSTOM_0, 1, 0, x0, t0, t1     /* wspawn: all other warps set their registers and end */
  li t0, -1
  tmc t0
  set_lane_registers simt_start_code
  lla ra, 1f                             /* where lanes 1.. come from when they work again */
  li t0, 1
  tmc t0
1:
  call simt_wait_alone

  csrr t0, CSR_CORE
  bnez t0, 3f
  la s0, __init_array_start
  la s1, __init_array_end
  beq s0, s1, 3f
2:
  lw t0, 0(s0)
  addi s0, s0, 4
  jalr t0
  bne s0, s1, 2b
  fence iorw, iorw
  li t0, 1
  la t1, simt_constructed
  sw t0, 0(t1)
3:
  fence iorw, iorw
  li t1, 1
  .insn r CUSTOM_0, 4, 0, x0, x0, t1     /* bar 0 with one warp of each core */
  addi t0, x0, %lo(__has_constructors)
  beqz t0, 5f
  la t1, simt_constructed                /* cores of other clusters were not at that barrier */
4:
  lw t0, 0(t1)
  beqz t0, 4b
  fence iorw, iorw
5:
  li a0, 0
  li a1, 0
  call main
  tail simt_end_warp
  .cfi_endproc
  .size _start, . - _start

  .type start_warp, @function
start_warp:
  .cfi_startproc
  .cfi_undefined ra                      /* the outermost frame */
  li t0, -1
  tmc t0
  set_lane_registers simt_start_code
  tmc x0
  .cfi_endproc
  .size start_warp, . - start_warp

  .section .bss.simt_constructed, "aw", @nobits
  .balign 4
  .type simt_constructed, @object
simt_constructed:
  .space 4
  .size simt_constructed, . - simt_constructed

/* A page of their own, as loaders for the test chip want it. exit.cpp ends the program through
 * tohost. */
  .section .tohost, "aw", @progbits
  .globl tohost
  .globl fromhost
  .balign 64
  .type tohost, @object
  .type fromhost, @object
tohost:
  .dword 0
  .size tohost, . - tohost
  .balign 64
fromhost:
  .dword 0
  .size fromhost, . - fromhost
