/* SPDX-License-Identifier: Apache-2.0
 *
 * Straight-line instruction sequences, each in a short and a long version: what both have in common
 * (call, reading the clock, filling and draining the pipeline) cancels in the difference.
 *
 * unsigned sequence(unsigned address, unsigned stride, unsigned times[2], unsigned warps)
 * Runs with any lanes. All warps, `warps` of each core, begin together and wait for each other at the end. Returns the address it got
 * to; times = mcycle before and after. */

#define MCYCLE 0xB00
#define WARPS_BARRIER 2 /* as in main.cpp */

/* A line that is filled takes the way whose turn it is, whatever is there and whether another is empty. So the code around the
 * measurement, at the beginning of a way of 4 KB (run_versions() in main.cpp), and the two versions of a sequence, behind it,
 * have sets of the instruction cache of their own. */
#define WAY 4096
#define AROUND 512

.macro timed label, count, body
\label:
  lw t0, 0(a0)                /* stacks may have pushed it out of the cache */
  li t0, WARPS_BARRIER
  .insn r CUSTOM_0, 4, 0, x0, t0, a3
  csrr t5, MCYCLE
  .rept \count
  \body
  .endr
  csrr t6, MCYCLE             /* waits for everything before it */
  li t0, WARPS_BARRIER
  .insn r CUSTOM_0, 4, 0, x0, t0, a3 /* so that none disturbs those still measuring */
  sw t5, 0(a2)
  sw t6, 4(a2)
  ret
.endm

/* A sequence and its entry in the table: short, long, operations the long one has more. */
.macro sequence name, short, long, operations, body
  .section .text.\name, "ax", @progbits
  .balign WAY
  .zero AROUND
  timed \name\()_short, \short, \body
  .balign 64
  timed \name\()_long, \long, \body
  .section .rodata.microbench_sequences, "a", @progbits
  .word \name\()_short, \name\()_long, (\long - \short) * \operations
.endm

.macro alu_eight
  addi t0, t0, 1
  addi t1, t1, 1
  addi t2, t2, 1
  addi t3, t3, 1
  addi a7, a7, 1
  addi a4, a4, 1
  addi a5, a5, 1
  addi a6, a6, 1
.endm
.macro fma_eight
  fmadd.s ft0, fa0, fa1, ft0
  fmadd.s ft1, fa0, fa1, ft1
  fmadd.s ft2, fa0, fa1, ft2
  fmadd.s ft3, fa0, fa1, ft3
  fmadd.s ft4, fa0, fa1, ft4
  fmadd.s ft5, fa0, fa1, ft5
  fmadd.s ft6, fa0, fa1, ft6
  fmadd.s ft7, fa0, fa1, ft7
.endm
.macro load_eight
  lw t0, 0(a0)
  lw t1, 0(a0)
  lw t2, 0(a0)
  lw t3, 0(a0)
  lw a7, 0(a0)
  lw a4, 0(a0)
  lw a5, 0(a0)
  lw a6, 0(a0)
.endm
.macro load_and_step register
  lw \register, 0(a0)
  add a0, a0, a1
.endm
.macro stream_eight
  load_and_step t0
  load_and_step t1
  load_and_step t2
  load_and_step t3
  load_and_step a7
  load_and_step a4
  load_and_step a5
  load_and_step a6
.endm
.macro alu_chain
  add t0, t0, t0
.endm
.macro mul_chain
  mul t0, t0, t0
.endm
.macro div_chain
  divu t0, t0, t1
.endm
.macro fma_chain
  fmadd.s ft0, ft0, fa0, fa1
.endm
.macro convert_chain
  fcvt.s.w ft0, t0
  fcvt.w.s t0, ft0
.endm
.macro load_chain
  lw a0, 0(a0)
.endm
/* The next address depends on what was loaded, which is zero. */
.macro zero_chain
  lw t0, 0(a0)
  add t1, a0, a1
  add a0, t1, t0
.endm
.macro store
  sw a1, 0(a0)
.endm
.macro nothing
  nop
.endm
.macro barrier
  .insn r CUSTOM_0, 4, 0, x0, x0, a1 /* barrier 0 with a1 warps of each core */
.endm

/* Fragments of A of 16x16x16 halves, row by row (code 0) or column by column (code 33), a1 elements apart. */
.macro fragment_eight code
  .insn r CUSTOM_2, 0, \code, x0, a0, a1
  .insn r CUSTOM_2, 0, \code, x1, a0, a1
  .insn r CUSTOM_2, 0, \code, x2, a0, a1
  .insn r CUSTOM_2, 0, \code, x3, a0, a1
  .insn r CUSTOM_2, 0, \code, x4, a0, a1
  .insn r CUSTOM_2, 0, \code, x5, a0, a1
  .insn r CUSTOM_2, 0, \code, x6, a0, a1
  .insn r CUSTOM_2, 0, \code, x7, a0, a1
.endm
.macro fragment_rows
  fragment_eight 0
.endm
.macro fragment_columns
  fragment_eight 33
.endm

  .section .rodata.microbench_sequences, "a", @progbits
  .balign 4
  .globl microbench_sequences
microbench_sequences:
  sequence alu, 8, 24, 8, alu_eight              /* 0 */
  sequence fma, 8, 24, 8, fma_eight              /* 1 */
  sequence load, 8, 24, 8, load_eight            /* 2 */
  sequence stream, 4, 12, 8, stream_eight        /* 3 */
  sequence dependent_alu, 64, 192, 1, alu_chain  /* 4 */
  sequence dependent_mul, 64, 192, 1, mul_chain  /* 5 */
  sequence dependent_div, 64, 192, 1, div_chain  /* 6 */
  sequence dependent_fma, 64, 192, 1, fma_chain  /* 7 */
  sequence convert, 32, 96, 2, convert_chain     /* 8 */
  sequence chase, 64, 192, 1, load_chain         /* 9 */
  sequence chase_zero, 64, 192, 1, zero_chain    /* 10 */
  sequence store_word, 64, 192, 1, store         /* 11 */
  sequence cold_code, 6144, 10240, 1, nothing    /* 12 */
  sequence barriers, 32, 96, 1, barrier          /* 13 */
  sequence load_rows, 2, 6, 8, fragment_rows     /* 14 */
  sequence load_columns, 2, 6, 8, fragment_columns /* 15 */
