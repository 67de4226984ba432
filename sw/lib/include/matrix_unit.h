/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver of the matrix unit and its DMA. One lane drives it, and that must be lane 0: commands
 * through CSR 0xACC take their value from lane 0 whichever lanes are active
 * (docs/howto/matrix-and-tensor-units.md).
 *
 * Commands are accepted in program order. Loop settings (bounds, addresses, strides, scratchpad
 * rows) go to the slot of the *next* loop; there are two slots, used in turn, one per loop whatever
 * it does (a load, a compute, a store), and a slot keeps its settings. So a setting applies to
 * every second loop, starting with the next. */
#pragma once

#include <stdint.h>

#include "built_for.h"
#include "models/matrix_unit/matrix_unit_regs.h"
#include "platform.h"
#include "simt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The array of the unit: DIM x DIM. Default: v1, FP32. For FP16: 16 and 2. */
#ifndef MATRIX_UNIT_DIM
#define MATRIX_UNIT_DIM 8
#endif
#ifndef MATRIX_UNIT_ELEMENT_BYTES
#define MATRIX_UNIT_ELEMENT_BYTES 4
#endif
#ifndef MATRIX_UNIT_ACCUMULATOR_BYTES /* for sums of 4 bytes */
#define MATRIX_UNIT_ACCUMULATOR_BYTES (MATRIX_UNIT_DIM == 16 ? 0x8000 : 0x4000)
#endif
#ifndef MATRIX_UNIT_ONE
#define MATRIX_UNIT_ONE (MATRIX_UNIT_ELEMENT_BYTES == 4 ? 0x3F800000 : 0x3C00) /* 1: load scale */
#endif

BUILT_FOR("matrix_units", PLATFORM_MATRIX_UNITS);
#ifndef MATRIX_UNIT_ANY /* define it in a program that does not depend on them */
BUILT_FOR("matrix_unit.dim", MATRIX_UNIT_DIM);
BUILT_FOR("matrix_unit.element_bytes", MATRIX_UNIT_ELEMENT_BYTES);
#endif

SIMT_INLINE volatile unsigned* matrix_unit_register(unsigned unit, unsigned offset) {
  return (volatile unsigned*)(uintptr_t)(PLATFORM_MATRIX_UNITS + MATRIX_UNIT_BLOCK_BYTES * unit + offset);
}

/* The operands of the next command. */
SIMT_INLINE void matrix_unit_operands(unsigned unit, uint64_t rs1, uint64_t rs2) {
  *matrix_unit_register(unit, MATRIX_UNIT_RS1_LO) = (unsigned)rs1;
  *matrix_unit_register(unit, MATRIX_UNIT_RS1_HI) = (unsigned)(rs1 >> 32);
  *matrix_unit_register(unit, MATRIX_UNIT_RS2_LO) = (unsigned)rs2;
  *matrix_unit_register(unit, MATRIX_UNIT_RS2_HI) = (unsigned)(rs2 >> 32);
}
SIMT_INLINE void matrix_unit_launch(unsigned unit, unsigned function) {
  *matrix_unit_register(unit, MATRIX_UNIT_INSTRUCTION) =
      MATRIX_UNIT_INSTRUCTION_BASE | MATRIX_UNIT_RS2_FIELD | function << MATRIX_UNIT_FUNCTION_SHIFT;
}
/* One RoCC command. */
SIMT_INLINE void matrix_unit_command(unsigned unit, unsigned function, uint64_t rs1, uint64_t rs2) {
  matrix_unit_operands(unit, rs1, rs2);
  matrix_unit_launch(unit, function);
}

/* One CISC command: opcode and arguments in place, see MATRIX_UNIT_Q_* and MATRIX_UNIT_H_*. These
 * belong to different command sets: say BUILT_FOR_WORD("matrix_unit.command_set", ...). The
 * functions of revisions v1.5 and v2 below do. */
#define MATRIX_UNIT_CISC_(unit, command, note)                                       \
  __asm__ __volatile__ __inline__(                                                   \
      "csrw 0xACC, %0" note ::"r"((command) | (unit) << MATRIX_UNIT_CISC_UNIT_SHIFT) \
      : "memory")
SIMT_INLINE void matrix_unit_cisc(unsigned unit, unsigned command) { MATRIX_UNIT_CISC_(unit, command, ""); }
#define MATRIX_UNIT_CISC_H_(unit, command) \
  MATRIX_UNIT_CISC_(unit, command, "\n" BUILT_FOR_NOTE_HERE("matrix_unit.command_set=hexadecile"))
#define MATRIX_UNIT_CISC_Q_(unit, command) \
  MATRIX_UNIT_CISC_(unit, command, "\n" BUILT_FOR_NOTE_HERE("matrix_unit.command_set=quartile"))

SIMT_INLINE unsigned matrix_unit_busy(unsigned unit) { return *matrix_unit_register(unit, MATRIX_UNIT_BUSY); }

/* Waits until all commands are done and all data is moved. */
SIMT_INLINE void matrix_unit_fence(unsigned unit) {
  while (matrix_unit_busy(unit)) __asm__ volatile("nop");
}
/* Revision v2: waits until at most `loops` loops are running. */
SIMT_INLINE void matrix_unit_fence_loops(unsigned unit, unsigned loops) {
  while (*matrix_unit_register(unit, MATRIX_UNIT_LOOPS) > loops) __asm__ volatile("nop");
}

/* ---- CISC commands of revision v2; hexadeciles count sixteenths of shared memory ------------ */
/* A from the start of hexadecile a, B up to the end of hexadecile b. */
SIMT_INLINE void matrix_unit_h_load(unsigned unit, unsigned a, unsigned b) {
  MATRIX_UNIT_CISC_H_(unit, MATRIX_UNIT_H_LOAD | a << MATRIX_UNIT_H_A_SHIFT | b << MATRIX_UNIT_H_B_SHIFT);
}
SIMT_INLINE void matrix_unit_h_compute(unsigned unit, unsigned a, unsigned b, unsigned accumulate) {
  MATRIX_UNIT_CISC_H_(unit, MATRIX_UNIT_H_COMPUTE | a << MATRIX_UNIT_H_A_SHIFT | b << MATRIX_UNIT_H_B_SHIFT |
                                (accumulate ? MATRIX_UNIT_H_ACCUMULATE : 0));
}
/* C of the tile to shared memory, from the start of sixteenth `at` on. */
SIMT_INLINE void matrix_unit_h_store_spad(unsigned unit, unsigned at) {
  MATRIX_UNIT_CISC_H_(unit, MATRIX_UNIT_H_STORE_SPAD | at << MATRIX_UNIT_H_A_SHIFT);
}
/* C of the tile to global memory. */
SIMT_INLINE void matrix_unit_h_store(unsigned unit) { MATRIX_UNIT_CISC_H_(unit, MATRIX_UNIT_H_STORE_GMEM); }
/* Row lengths in elements, at most MATRIX_UNIT_H_STRIDE_MASK, for the next loop. */
SIMT_INLINE void matrix_unit_h_stride_ab(unsigned unit, unsigned a, unsigned b) {
  MATRIX_UNIT_CISC_H_(unit, MATRIX_UNIT_H_STRIDE_AB | a << MATRIX_UNIT_H_STRIDE_FIRST_SHIFT |
                                b << MATRIX_UNIT_H_STRIDE_SECOND_SHIFT);
}
SIMT_INLINE void matrix_unit_h_stride_dc(unsigned unit, unsigned d, unsigned c) {
  MATRIX_UNIT_CISC_H_(unit, MATRIX_UNIT_H_STRIDE_DC | d << MATRIX_UNIT_H_STRIDE_FIRST_SHIFT |
                                c << MATRIX_UNIT_H_STRIDE_SECOND_SHIFT);
}
/* The same of A and B in revision v1.5. */
SIMT_INLINE void matrix_unit_q_stride_ab(unsigned unit, unsigned a, unsigned b) {
  MATRIX_UNIT_CISC_Q_(unit, MATRIX_UNIT_Q_STRIDE_AB | a << MATRIX_UNIT_Q_STRIDE_A_SHIFT |
                                b << MATRIX_UNIT_Q_STRIDE_B_SHIFT_V15);
}

/* ---- configuration: once, before the first loop -------------------------------------- */
SIMT_INLINE void matrix_unit_config_execute(unsigned unit) {
  matrix_unit_command(unit, MATRIX_UNIT_CONFIG,
                      (uint64_t)0x3F800000 << 32 | 1u << MATRIX_UNIT_EXECUTE_A_STRIDE_SHIFT |
                          MATRIX_UNIT_EXECUTE_WEIGHT_STATIONARY | MATRIX_UNIT_CONFIG_EXECUTE,
                      (uint64_t)1 << (32 + MATRIX_UNIT_EXECUTE_C_STRIDE_HI_SHIFT));
}
/* state 0: A, state 1: B; dim: of the array of the unit */
SIMT_INLINE void matrix_unit_config_load_of(unsigned unit, unsigned dim, unsigned state, unsigned row_bytes) {
  matrix_unit_command(unit, MATRIX_UNIT_CONFIG,
                      (uint64_t)MATRIX_UNIT_ONE << 32 | dim << MATRIX_UNIT_LOAD_BLOCK_STRIDE_SHIFT |
                          1u << MATRIX_UNIT_LOAD_REPEATS_SHIFT | state << MATRIX_UNIT_LOAD_STATE_SHIFT |
                          MATRIX_UNIT_CONFIG_LOAD,
                      row_bytes);
}
SIMT_INLINE void matrix_unit_config_load(unsigned unit, unsigned state, unsigned row_bytes) {
  matrix_unit_config_load_of(unit, MATRIX_UNIT_DIM, state, row_bytes);
}
/* With cluster.dma.scale_units: elements of format `from` in global memory become format `to` in shared memory, times `scale`
 * (MATRIX_UNIT_FORMAT_*; 0 and 0: as they are). transposed: with cluster.dma.transposer a row of a block in shared memory
 * is a column in global memory, word by word; rows there are row_bytes apart. */
SIMT_INLINE void matrix_unit_config_load_as(unsigned unit, unsigned dim, unsigned state, unsigned row_bytes,
                                            unsigned from, unsigned to, float scale, unsigned transposed) {
  unsigned bits;
  __builtin_memcpy(&bits, &scale, sizeof bits);
  matrix_unit_command(
      unit, MATRIX_UNIT_CONFIG,
      (uint64_t)(from == 0 ? MATRIX_UNIT_ONE : bits) << 32 | dim << MATRIX_UNIT_LOAD_BLOCK_STRIDE_SHIFT |
          1u << MATRIX_UNIT_LOAD_REPEATS_SHIFT | state << MATRIX_UNIT_LOAD_STATE_SHIFT |
          (transposed ? MATRIX_UNIT_LOAD_TRANSPOSE : 0) | MATRIX_UNIT_CONFIG_LOAD,
      (uint64_t)(from << MATRIX_UNIT_LOAD_FROM_HI_SHIFT | to << MATRIX_UNIT_LOAD_TO_HI_SHIFT) << 32 |
          row_bytes);
}
SIMT_INLINE void matrix_unit_config_store(unsigned unit, unsigned row_bytes) {
  matrix_unit_command(unit, MATRIX_UNIT_CONFIG, MATRIX_UNIT_CONFIG_STORE,
                      (uint64_t)MATRIX_UNIT_ONE << 32 | row_bytes);
}

/* ---- settings of the next loop ------------------------------------------------------- */
/* rows of A, columns of B and the common extent, in blocks of DIM */
SIMT_INLINE void matrix_unit_loop_bounds(unsigned unit, unsigned i, unsigned j, unsigned k) {
  matrix_unit_command(unit, MATRIX_UNIT_LOOP_BOUNDS, 0,
                      (uint64_t)k << (32 + MATRIX_UNIT_BOUND_K_HI_SHIFT) | j << MATRIX_UNIT_BOUND_J_SHIFT |
                          i << MATRIX_UNIT_BOUND_I_SHIFT);
}
SIMT_INLINE void matrix_unit_loop_address_ab(unsigned unit, unsigned a, unsigned b) {
  matrix_unit_command(unit, MATRIX_UNIT_LOOP_ADDRESS_AB, a, b);
}
SIMT_INLINE void matrix_unit_loop_address_dc(unsigned unit, unsigned d, unsigned c) {
  matrix_unit_command(unit, MATRIX_UNIT_LOOP_ADDRESS_DC, d, c);
}
/* in elements */
SIMT_INLINE void matrix_unit_loop_stride_ab(unsigned unit, unsigned a, unsigned b) {
  matrix_unit_command(unit, MATRIX_UNIT_LOOP_STRIDE_AB, a, b);
}
SIMT_INLINE void matrix_unit_loop_stride_dc(unsigned unit, unsigned d, unsigned c) {
  matrix_unit_command(unit, MATRIX_UNIT_LOOP_STRIDE_DC, d, c);
}
/* first scratchpad row of A, row after the end of B (row: DIM elements) */
SIMT_INLINE void matrix_unit_loop_spad_ab(unsigned unit, unsigned a_first, unsigned b_end) {
  matrix_unit_command(unit, MATRIX_UNIT_LOOP_SPAD_AB, a_first, b_end);
}

/* Starts a loop; skips: MATRIX_UNIT_SKIPS_*, c_row: scratchpad row of C for stores to shared
 * memory. */
SIMT_INLINE void matrix_unit_loop(unsigned unit, unsigned skips, unsigned accumulate, unsigned c_row) {
  matrix_unit_command(unit, MATRIX_UNIT_LOOP_WS, accumulate ? MATRIX_UNIT_LOOP_ACCUMULATE : 0,
                      (uint64_t)c_row << 32 | skips);
}

#ifdef __cplusplus
}
#endif
