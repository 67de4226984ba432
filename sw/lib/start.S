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

#define CSR_ACTIVE_WARPS 0xCC3
#define CSR_CORE 0xCC2
#define CSR_WARPS 0xFC1

  .cfi_sections .debug_frame

.macro tmc mask
  .insn r CUSTOM_0, 0, 0, x0, \mask, x0
.endm

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

  .section .text.start, "ax", @progbits
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
  set_lane_registers
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
  set_lane_registers
  tmc x0
  .cfi_endproc
  .size start_warp, . - start_warp

/* void exit(int code): 0 in all lanes ends the warp; another code ends the program (exit.cpp). */
  .section .text.exit, "ax", @progbits
  .globl exit
  .type exit, @function
exit:
  .cfi_startproc
  snez t0, a0
  .insn r CUSTOM_0, 2, 0, t1, t0, x0     /* split and join: do all lanes agree? */
  .insn r CUSTOM_0, 3, 0, x0, t1, x0
  or t1, t1, t0
  bnez t1, simt_exit_program
  j simt_end_warp
  .cfi_endproc
  .size exit, . - exit

/* void simt_end_warp(int code): ends the warp, on warp 0 of a core after what atexit() and
 * destructors want. The platform takes the exit code of the program from gp of warp 0, lane 0 of
 * core 0 when all warps of all cores have ended. */
  .section .text.simt_end_warp, "ax", @progbits
  .globl simt_end_warp
  .globl _exit
  .globl simt_end_warp_now
  .type simt_end_warp, @function
simt_end_warp:
  .cfi_startproc
  addi t0, x0, %lo(__exit_hook_bytes)
  bnez t0, 1f
_exit:
simt_end_warp_now:
  fence iorw, iorw
  mv gp, a0
  tmc x0
1:
  la t0, __exit_hook_start
  lw t0, 0(t0)
  jr t0
  .cfi_endproc
  .size simt_end_warp, . - simt_end_warp

/* void simt_exit_functions(void): calls what atexit() and destructors have registered. */
  .section .text.simt_exit_functions, "ax", @progbits
  .globl simt_exit_functions
  .type simt_exit_functions, @function
simt_exit_functions:
  .cfi_startproc
  addi t0, x0, %lo(__exit_hook_bytes)
  beqz t0, 1f
  la t0, __exit_hook_start
  lw t0, 4(t0)
  jr t0
1:
  ret
  .cfi_endproc
  .size simt_exit_functions, . - simt_exit_functions

/* void simt_wait_alone(void): waits until warp 0 is the only active warp of the core. */
  .section .text.simt_wait_alone, "ax", @progbits
  .globl simt_wait_alone
  .type simt_wait_alone, @function
simt_wait_alone:
  .cfi_startproc
  li t1, 1
1:
  csrr t0, CSR_ACTIVE_WARPS
  bne t0, t1, 1b
  ret
  .cfi_endproc
  .size simt_wait_alone, . - simt_wait_alone

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
