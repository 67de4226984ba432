/* SPDX-License-Identifier: Apache-2.0
 *
 * What `spica microbench` asks for and gets back. The host writes Arguments, one measurement per
 * run, and reads `result`. */
#pragma once

#include <stdint.h>

/* Modes: what is measured. */
#define MICROBENCH_SEQUENCE 0 /* an instruction sequence on warps of one or more cores */
#define MICROBENCH_DMA 1      /* loads of the DMA */
#define MICROBENCH_MATRIX 2   /* loops of the matrix unit, operands in shared memory */

/* What the memory under a sequence's addresses holds before. */
#define MICROBENCH_NOTHING 0
#define MICROBENCH_SELF 1 /* each word its own address */
#define MICROBENCH_RING 2 /* words `stride` apart, each the address of the next; lane 0 only */
#define MICROBENCH_WALK 3 /* whatever it held, but read once: in the caches as far as it fits */

struct Arguments {
  uint32_t mode;
  uint32_t sequence;    /* index, see sequences.S */
  uint32_t cores;       /* that run the sequence; the others only take part in barriers */
  uint32_t warps;       /* of each core */
  uint32_t lanes;       /* of each warp */
  uint32_t fill;        /* MICROBENCH_NOTHING ... */
  uint32_t stride;      /* second operand of the sequence */
  uint32_t bytes;       /* RING, WALK: of each core */
  uint32_t core_offset; /* address = lane_address[lane] + core * core_offset + warp * warp_offset */
  uint32_t warp_offset;
  uint32_t i, j, k;            /* DMA, MATRIX: bounds of the loop in blocks */
  uint32_t a_row, b_end;       /* addresses of the operands in shared memory */
  uint32_t a_stride, b_stride; /* bytes from row to row in global memory */
  uint32_t dim, element_bytes;
  uint32_t fresh;     /* DMA: bytes by which the addresses move from loop to loop */
  uint32_t loops;     /* DMA, MATRIX: how many are measured */
  uint32_t registers; /* address of the matrix unit's registers */
  uint32_t lane_address[32];
};

/* cycles that `operations` operations of one warp, or loops, take in the steady state */
struct Result {
  uint32_t cycles;
  uint32_t operations;
};
