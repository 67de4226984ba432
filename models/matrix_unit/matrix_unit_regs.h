/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers and command encodings of the matrix unit, shared by the model and by the firmware:
 * plain C, numbers only. Source: Gemmini@041342d and the GemminiTile of the Virgo cluster. LO/HI
 * name the half of a 64-bit operand a field lies in; SHIFT counts inside that half. */
#pragma once

/* ---- MMIO block: MATRIX_UNIT_BLOCK_BYTES per unit, 4-byte accesses ---- */
#define MATRIX_UNIT_BLOCK_BYTES 0x100
#define MATRIX_UNIT_INSTRUCTION 0x00 /* W: launches the command with the latched operands */
#define MATRIX_UNIT_RS1_LO 0x10      /* W */
#define MATRIX_UNIT_RS1_HI 0x14      /* W */
#define MATRIX_UNIT_RS2_LO 0x18      /* W */
#define MATRIX_UNIT_RS2_HI 0x1C      /* W */
#define MATRIX_UNIT_BUSY 0x20        /* R: bit 0, any command queued or executing */
#define MATRIX_UNIT_LOOPS 0x28       /* R: running loops; revision v2 only */

/* The instruction word: software writes a whole RoCC instruction, only the function code counts. */
#define MATRIX_UNIT_INSTRUCTION_BASE 0x0000B07B
#define MATRIX_UNIT_RS2_FIELD 0x00200000 /* rs2 field = 2, as published software has it */
#define MATRIX_UNIT_FUNCTION_SHIFT 25
#define MATRIX_UNIT_FUNCTION_MASK 0x7F

/* ---- function codes ---- */
#define MATRIX_UNIT_CONFIG 0       /* rs1[1:0]: kind of configuration, below */
#define MATRIX_UNIT_MVIN2 1        /* gmem -> scratchpad, load state 1 */
#define MATRIX_UNIT_MVIN 2         /* gmem -> scratchpad, load state 0 */
#define MATRIX_UNIT_MVOUT 3        /* accumulator -> gmem */
#define MATRIX_UNIT_COMPUTE_FLIP 4 /* compute with the weights of the last preload */
#define MATRIX_UNIT_COMPUTE_STAY 5 /* compute, keep the weights */
#define MATRIX_UNIT_PRELOAD 6      /* rs1: weights, rs2: accumulator address */
#define MATRIX_UNIT_FLUSH 7
#define MATRIX_UNIT_LOOP_WS 8     /* one tile: any of load, execute, store */
#define MATRIX_UNIT_LOOP_BOUNDS 9 /* I, J, K in blocks of DIM */
#define MATRIX_UNIT_LOOP_ADDRESS_AB 10
#define MATRIX_UNIT_LOOP_ADDRESS_DC 11
#define MATRIX_UNIT_LOOP_STRIDE_AB 12 /* in elements */
#define MATRIX_UNIT_LOOP_STRIDE_DC 13 /* in elements */
#define MATRIX_UNIT_MVIN3 14          /* gmem -> accumulator, load state 2 */
#define MATRIX_UNIT_MVOUT_SPAD 23     /* accumulator -> scratchpad: rs1 target row, rs2 source */
#define MATRIX_UNIT_LOOP_SPAD_AB 24   /* rs1: first row of A, rs2: row after the end of B */
#define MATRIX_UNIT_LOOP_SPAD_C 25

/* ---- CONFIG operands ---- */
#define MATRIX_UNIT_CONFIG_KIND_MASK 0x3
#define MATRIX_UNIT_CONFIG_EXECUTE 0
#define MATRIX_UNIT_CONFIG_LOAD 1
#define MATRIX_UNIT_CONFIG_STORE 2
#define MATRIX_UNIT_CONFIG_NORM 3
/* execute, rs1 low; rs1 high = scale (float), rs2 high bits 31:16 = C stride */
#define MATRIX_UNIT_EXECUTE_WEIGHT_STATIONARY 0x4
#define MATRIX_UNIT_EXECUTE_ACTIVATION_SHIFT 3
#define MATRIX_UNIT_EXECUTE_ACTIVATION_MASK 0x3
#define MATRIX_UNIT_EXECUTE_ONLY_STRIDES 0x80
#define MATRIX_UNIT_EXECUTE_TRANSPOSE_A 0x100
#define MATRIX_UNIT_EXECUTE_TRANSPOSE_B 0x200
#define MATRIX_UNIT_EXECUTE_A_STRIDE_SHIFT 16
#define MATRIX_UNIT_EXECUTE_C_STRIDE_HI_SHIFT 16
/* load, rs1 low; rs1 high = scale, rs2 low = gmem row stride in bytes, rs2 high = formats of a conversion */
#define MATRIX_UNIT_LOAD_SHRINK 0x4
#define MATRIX_UNIT_LOAD_STATE_SHIFT 3
#define MATRIX_UNIT_LOAD_STATE_MASK 0x3
#define MATRIX_UNIT_LOAD_TRANSPOSE \
  0x20 /* a row of a block in shared memory is a column in gmem; with cluster.dma.transposer */
#define MATRIX_UNIT_LOAD_REPEATS_SHIFT 8
#define MATRIX_UNIT_LOAD_REPEATS_MASK 0xFF
#define MATRIX_UNIT_LOAD_BLOCK_STRIDE_SHIFT 16
/* rs2 high, with cluster.dma.scale_units: elements of FROM in gmem become TO in shared memory, times the scale, a
 * binary32; 0 and 0: bytes as they are, whatever the scale */
#define MATRIX_UNIT_LOAD_FROM_HI_SHIFT 0
#define MATRIX_UNIT_LOAD_TO_HI_SHIFT 8
#define MATRIX_UNIT_FORMAT_MASK 0xFF
#define MATRIX_UNIT_FORMAT_FP32 1
#define MATRIX_UNIT_FORMAT_TF32 2
#define MATRIX_UNIT_FORMAT_BF16 3
#define MATRIX_UNIT_FORMAT_FP16 4
#define MATRIX_UNIT_FORMAT_FP8_E4M3 5
#define MATRIX_UNIT_FORMAT_FP8_E5M2 6
#define MATRIX_UNIT_FORMAT_FP6_E3M2 7 /* a byte each */
#define MATRIX_UNIT_FORMAT_FP6_E2M3 8
#define MATRIX_UNIT_FORMAT_FP4_E2M1 9
#define MATRIX_UNIT_FORMAT_INT8 11
#define MATRIX_UNIT_FORMAT_UINT8 12
#define MATRIX_UNIT_FORMAT_INT4 13
#define MATRIX_UNIT_FORMAT_UINT4 14
/* store: rs2 low = gmem row stride in bytes, rs2 high = scale (the FP16 revision ignores it) */

/* ---- mvin, mvout, compute, preload operands ---- */
#define MATRIX_UNIT_LOCAL_ACCUMULATOR 0x80000000 /* the local address is in the accumulator */
#define MATRIX_UNIT_LOCAL_ACCUMULATE 0x40000000 /* add to the sum in the accumulator */
#define MATRIX_UNIT_LOCAL_FULL_WIDTH 0x20000000 /* read without rounding */
#define MATRIX_UNIT_LOCAL_GARBAGE 0xFFFFFFFF /* no operand */
#define MATRIX_UNIT_COLUMNS_HI_SHIFT 0 /* bits 47:32 */
#define MATRIX_UNIT_ROWS_HI_SHIFT 16 /* bits 63:48 */
#define MATRIX_UNIT_EXTENT_MASK 0xFFFF

/* ---- loop bounds: rs2 (rs1 the same layout, padding) ---- */
#define MATRIX_UNIT_BOUND_I_SHIFT 0
#define MATRIX_UNIT_BOUND_J_SHIFT 16
#define MATRIX_UNIT_BOUND_K_HI_SHIFT 0
#define MATRIX_UNIT_BOUND_MASK 0xFFFF

/* ---- LOOP_WS ---- */
/* rs1 low */
#define MATRIX_UNIT_LOOP_ACCUMULATE 0x1
#define MATRIX_UNIT_LOOP_FULL_C 0x2
#define MATRIX_UNIT_LOOP_LOW_D 0x4
#define MATRIX_UNIT_LOOP_ACTIVATION_SHIFT 8
#define MATRIX_UNIT_LOOP_ACTIVATION_MASK 0xFF
#define MATRIX_UNIT_LOOP_B_SPAD_ID_SHIFT 16
#define MATRIX_UNIT_LOOP_A_SPAD_ID_SHIFT 18
#define MATRIX_UNIT_LOOP_SPAD_ID_MASK 0x3
/* rs2 low; rs2 high = scratchpad row of C */
#define MATRIX_UNIT_LOOP_TRANSPOSE_A 0x001
#define MATRIX_UNIT_LOOP_TRANSPOSE_B 0x002
#define MATRIX_UNIT_LOOP_RESIDUAL_ADD 0x004
#define MATRIX_UNIT_LOOP_SKIP_LOAD_A 0x008
#define MATRIX_UNIT_LOOP_SKIP_LOAD_B 0x010
#define MATRIX_UNIT_LOOP_SKIP_LOAD_D 0x020
#define MATRIX_UNIT_LOOP_SKIP_EXECUTE 0x040
#define MATRIX_UNIT_LOOP_SKIP_STORE 0x080
#define MATRIX_UNIT_LOOP_NEXT_ACCUMULATOR 0x100
#define MATRIX_UNIT_LOOP_SPAD_ONLY 0x200
/* composite values used by software and by the CISC commands */
#define MATRIX_UNIT_SKIPS_EXECUTE_ONLY 0x2B8 /* scratchpad only */
#define MATRIX_UNIT_SKIPS_EXECUTE_MMIO 0x0B8 /* execute only, v1 kernels without DMA */
#define MATRIX_UNIT_SKIPS_LOAD_ONLY 0x2E0 /* A and B */
#define MATRIX_UNIT_SKIPS_STORE_SPAD 0x278 /* accumulator -> scratchpad */
#define MATRIX_UNIT_SKIPS_EXECUTE_STORE_SPAD 0x238
#define MATRIX_UNIT_SKIPS_STORE_GMEM 0x078 /* accumulator -> gmem */

/* ---- CISC commands through CSR 0xACC ---- */
#define MATRIX_UNIT_CISC_CSR 0xACC /* W: command; R: OR of all busy bits */
#define MATRIX_UNIT_CISC_OPCODE_MASK 0x1F
#define MATRIX_UNIT_CISC_UNIT_SHIFT 5
#define MATRIX_UNIT_CISC_UNIT_MASK 0x7

/* quartile revisions (v1, v1.5): Q0..Q3 = quarters of shared memory; B ends at the end of one */
#define MATRIX_UNIT_Q_COMPUTE_0 0 /* A at Q0, B at Q2, overwrite */
#define MATRIX_UNIT_Q_COMPUTE_0_ACCUMULATE 1 /* A at Q0, B at Q2, accumulate */
#define MATRIX_UNIT_Q_COMPUTE_1_ACCUMULATE 2 /* A at Q1, B at Q3, accumulate */
#define MATRIX_UNIT_Q_COMPUTE_1 3 /* A at Q1, B at Q3, overwrite */
#define MATRIX_UNIT_Q_STRIDE_AB 8 /* gmem strides of A and B in elements, see below */
#define MATRIX_UNIT_Q_STORE_SPAD 9 /* accumulator -> scratchpad row 0 */
#define MATRIX_UNIT_Q_LOAD_0 10 /* A to Q0, B to the end of Q2 */
#define MATRIX_UNIT_Q_LOAD_1 11 /* A to Q1, B to the end of Q3 */
#define MATRIX_UNIT_Q_LOAD_00 12 /* A to Q0, B to the end of Q0 */
#define MATRIX_UNIT_Q_LOAD_22 13 /* A to Q2, B to the end of Q2 */
#define MATRIX_UNIT_Q_CONFIG 16 /* fixed configuration */
#define MATRIX_UNIT_Q_STRIDE_A_SHIFT 8
#define MATRIX_UNIT_Q_STRIDE_B_SHIFT_V1 16
#define MATRIX_UNIT_Q_STRIDE_MASK_V1 0xFF /* v1: strides from 256 on do not fit */
#define MATRIX_UNIT_Q_STRIDE_B_SHIFT_V15 20
#define MATRIX_UNIT_Q_STRIDE_MASK_V15 0xFFF

/* hexadecile revision (v2): a, b, d count sixteenths of shared memory */
#define MATRIX_UNIT_H_COMPUTE 0 /* a, b, accumulate */
#define MATRIX_UNIT_H_COMPUTE_STORE_SPAD 1 /* a, b, d */
#define MATRIX_UNIT_H_COUNT_LOOP 2 /* no operation, counts as one running loop */
#define MATRIX_UNIT_H_STRIDE_AB 8
#define MATRIX_UNIT_H_STORE_SPAD 9 /* a: destination */
#define MATRIX_UNIT_H_LOAD 10 /* A to the start of a, B to the end of b */
#define MATRIX_UNIT_H_STRIDE_DC 11
#define MATRIX_UNIT_H_STORE_GMEM 12
#define MATRIX_UNIT_H_CONFIG 16
#define MATRIX_UNIT_H_A_SHIFT 8
#define MATRIX_UNIT_H_B_SHIFT 16
#define MATRIX_UNIT_H_D_SHIFT 24
#define MATRIX_UNIT_H_MASK 0xFF
#define MATRIX_UNIT_H_ACCUMULATE 0x01000000 /* compute: bit 24 */
#define MATRIX_UNIT_H_STRIDE_FIRST_SHIFT 8 /* A or D */
#define MATRIX_UNIT_H_STRIDE_SECOND_SHIFT 20 /* B or C */
#define MATRIX_UNIT_H_STRIDE_MASK 0xFFF
