/* SPDX-License-Identifier: Apache-2.0
 *
 * The tensor core inside a SIMT core: one instruction multiplies an 8 x 8 tile of A with an 8 x 8
 * tile of B and adds to an 8 x 8 tile of C (FP32), all in registers of one warp of eight lanes. The
 * elements of A and B are words along k: an FP32 number, or two FP16 numbers, the even k in the low
 * half (then the tiles are 16 deep).
 *
 *   A        f0..f7     lane r has row r, register f(i) word i of k
 *   B        f8..f15    lane c has column c, register f(8 + i) word i of k
 *   C        f16..f23 (accumulator 0), f24..f31 (accumulator 1); f(16 + 2 t + u) of lane l is
 *            row 4 (l / 4) + l % 2 + 2 (t % 2), column 2 ((l % 4) / 2) + u + 4 (t / 2)
 *
 * The registers are fixed and the compiler does not know that they are live from one function to
 * the next: between tensor_core_clear() and tensor_core_store() there may be no float variable, and
 * all uses must be in one function, because a function that uses these registers restores the
 * callee-saved ones. Helpers need __attribute__((always_inline)). C++ only: offsets are template
 * arguments because they are part of the instructions.
 *
 * With TENSOR_CORE_UNSAVED, for kernels of work groups without any float variable, such a function restores none of
 * them: nothing runs after such a kernel, and each register is a memory access for each lane. */
#pragma once

#include "built_for.h"
#include "simt.h"

#define TENSOR_CORE_TILE 8 /* rows, columns and words of k of one instruction */

#ifndef TENSOR_CORE_UNSAVED
#define TENSOR_CORE_A "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7"
#define TENSOR_CORE_B "f8", "f9", "f10", "f11", "f12", "f13", "f14", "f15"
#define TENSOR_CORE_C0 "f16", "f17", "f18", "f19", "f20", "f21", "f22", "f23"
#define TENSOR_CORE_C1 "f24", "f25", "f26", "f27", "f28", "f29", "f30", "f31"
#else
#define TENSOR_CORE_A "memory"
#define TENSOR_CORE_B "memory"
#define TENSOR_CORE_C0 "memory"
#define TENSOR_CORE_C1 "memory"
#endif

/* Row and column of C that the lane has in the first register of an accumulator. */
SIMT_INLINE unsigned tensor_core_row(unsigned lane) { return lane / 4 * 4 + lane % 2; }
SIMT_INLINE unsigned tensor_core_column(unsigned lane) { return lane % 4 / 2 * 2; }

/* C = 0 */
template <unsigned accumulator>
SIMT_INLINE void tensor_core_clear() {
  if constexpr (accumulator == 0)
    __asm__ volatile(
        "fmv.w.x f16, x0\n\tfmv.w.x f17, x0\n\tfmv.w.x f18, x0\n\tfmv.w.x f19, x0\n\t"
        "fmv.w.x f20, x0\n\tfmv.w.x f21, x0\n\tfmv.w.x f22, x0\n\tfmv.w.x f23, x0" ::
            : TENSOR_CORE_C0);
  else
    __asm__ volatile(
        "fmv.w.x f24, x0\n\tfmv.w.x f25, x0\n\tfmv.w.x f26, x0\n\tfmv.w.x f27, x0\n\t"
        "fmv.w.x f28, x0\n\tfmv.w.x f29, x0\n\tfmv.w.x f30, x0\n\tfmv.w.x f31, x0" ::
            : TENSOR_CORE_C1);
}

#define TENSOR_CORE_OFFSETS(stride)                                                        \
  "i"(stride), "i"(2 * (stride)), "i"(3 * (stride)), "i"(4 * (stride)), "i"(5 * (stride)), \
      "i"(6 * (stride)), "i"(7 * (stride))

/* The lane's row of A: word k from address + stride * k bytes. */
template <unsigned stride>
SIMT_INLINE void tensor_core_load_a(unsigned address) {
  __asm__ volatile(
      "flw f0, 0(%0)\n\tflw f1, %1(%0)\n\tflw f2, %2(%0)\n\tflw f3, %3(%0)\n\t"
      "flw f4, %4(%0)\n\tflw f5, %5(%0)\n\tflw f6, %6(%0)\n\tflw f7, %7(%0)" ::"r"(address),
      TENSOR_CORE_OFFSETS(stride)
      : "memory", TENSOR_CORE_A);
}
/* The same where offsets do not reach the last words: the address moves on behind four of them. */
template <unsigned stride>
SIMT_INLINE void tensor_core_load_a_far(unsigned address) {
  __asm__ volatile(
      "flw f0, 0(%0)\n\tflw f1, %2(%0)\n\tflw f2, %3(%0)\n\tflw f3, %4(%0)\n\tadd %0, %0, %1\n\t"
      "flw f4, 0(%0)\n\tflw f5, %2(%0)\n\tflw f6, %3(%0)\n\tflw f7, %4(%0)"
      : "+r"(address)
      : "r"(4 * stride), "i"(stride), "i"(2 * stride), "i"(3 * stride)
      : "memory", TENSOR_CORE_A);
}
/* The lane's column of B, likewise. */
template <unsigned stride>
SIMT_INLINE void tensor_core_load_b(unsigned address) {
  __asm__ volatile(
      "flw f8, 0(%0)\n\tflw f9, %1(%0)\n\tflw f10, %2(%0)\n\tflw f11, %3(%0)\n\t"
      "flw f12, %4(%0)\n\tflw f13, %5(%0)\n\tflw f14, %6(%0)\n\tflw f15, %7(%0)" ::"r"(address),
      TENSOR_CORE_OFFSETS(stride)
      : "memory", TENSOR_CORE_B);
}

/* The same where offsets do not reach the last words. */
template <unsigned stride>
SIMT_INLINE void tensor_core_load_b_far(unsigned address) {
  __asm__ volatile(
      "flw f8, 0(%0)\n\tflw f9, %2(%0)\n\tflw f10, %3(%0)\n\tflw f11, %4(%0)\n\tadd %0, %0, %1\n\t"
      "flw f12, 0(%0)\n\tflw f13, %2(%0)\n\tflw f14, %3(%0)\n\tflw f15, %4(%0)"
      : "+r"(address)
      : "r"(4 * stride), "i"(stride), "i"(2 * stride), "i"(3 * stride)
      : "memory", TENSOR_CORE_B);
}

/* C += A * B */
template <unsigned accumulator>
SIMT_INLINE void tensor_core_multiply() {
  BUILT_FOR_WORD_HERE("tensor_core.style", "synchronous");
  if constexpr (accumulator == 0) __asm__ volatile(".insn r CUSTOM_3, 0, 0, x0, x0, x0" ::: TENSOR_CORE_C0);
  else __asm__ volatile(".insn r CUSTOM_3, 0, 0, x1, x0, x0" ::: TENSOR_CORE_C1);
}

/* The lane's eight elements of C to a matrix; `address` is that of row tensor_core_row(), column
 * tensor_core_column(), `two_rows` the bytes from a row to the next but one, `column` those from
 * an even column to the next (4: row-major), `four` those from a column to the fourth behind it. */
#define TENSOR_CORE_STORE(c0, c1, c2, c3, c4, c5, c6, c7)                                                  \
  __asm__ volatile("fsw " c0 ", 0(%0)\n\tfsw " c1 ", %2(%0)\n\tfsw " c2 ", 0(%1)\n\tfsw " c3               \
                   ", %2(%1)\n\tfsw " c4 ", %3(%0)\n\tfsw " c5 ", %4(%0)\n\tfsw " c6 ", %3(%1)\n\tfsw " c7 \
                   ", %4(%1)" ::"r"(address),                                                              \
                   "r"(below), "i"(column), "i"(four), "i"(four + column)                                  \
                   : "memory")
template <unsigned accumulator, unsigned column = 4, unsigned four = 4 * column>
SIMT_INLINE void tensor_core_store(unsigned address, unsigned two_rows) {
  const unsigned below = address + two_rows;
  if constexpr (accumulator == 0) TENSOR_CORE_STORE("f16", "f17", "f18", "f19", "f20", "f21", "f22", "f23");
  else TENSOR_CORE_STORE("f24", "f25", "f26", "f27", "f28", "f29", "f30", "f31");
}

/* The same elements from a matrix, row-major. */
#define TENSOR_CORE_LOAD_C_TEXT(c0, c1, c2, c3, c4, c5, c6, c7)                                 \
  "flw " c0 ", 0(%0)\n\tflw " c1 ", 4(%0)\n\tflw " c2 ", 0(%1)\n\tflw " c3 ", 4(%1)\n\tflw " c4 \
  ", 16(%0)\n\tflw " c5 ", 20(%0)\n\tflw " c6 ", 16(%1)\n\tflw " c7 ", 20(%1)"
template <unsigned accumulator>
SIMT_INLINE void tensor_core_load_c(unsigned address, unsigned two_rows) {
  const unsigned below = address + two_rows;
  if constexpr (accumulator == 0)
    __asm__ volatile(
        TENSOR_CORE_LOAD_C_TEXT("f16", "f17", "f18", "f19", "f20", "f21", "f22", "f23")::"r"(address),
        "r"(below)
        : "memory", TENSOR_CORE_C0);
  else
    __asm__ volatile(
        TENSOR_CORE_LOAD_C_TEXT("f24", "f25", "f26", "f27", "f28", "f29", "f30", "f31")::"r"(address),
        "r"(below)
        : "memory", TENSOR_CORE_C1);
}

/* Accumulators as they are, register i at address + 32 i: to keep them while others are computed.
 * Eight lanes with adjacent words touch one line of shared memory. */
#define TENSOR_CORE_MOVE(move, c0, c1, c2, c3, c4, c5, c6, c7)                                \
  move " " c0 ", 0(%0)\n\t" move " " c1 ", 32(%0)\n\t" move " " c2 ", 64(%0)\n\t" move " " c3 \
       ", 96(%0)\n\t" move " " c4 ", 128(%0)\n\t" move " " c5 ", 160(%0)\n\t" move " " c6     \
       ", 192(%0)\n\t" move " " c7 ", 224(%0)"
template <unsigned accumulator>
SIMT_INLINE void tensor_core_save(unsigned address) {
  if constexpr (accumulator == 0)
    __asm__ volatile(
        TENSOR_CORE_MOVE("fsw", "f16", "f17", "f18", "f19", "f20", "f21", "f22", "f23")::"r"(address)
        : "memory");
  else
    __asm__ volatile(
        TENSOR_CORE_MOVE("fsw", "f24", "f25", "f26", "f27", "f28", "f29", "f30", "f31")::"r"(address)
        : "memory");
}
template <unsigned accumulator>
SIMT_INLINE void tensor_core_restore(unsigned address) {
  if constexpr (accumulator == 0)
    __asm__ volatile(
        TENSOR_CORE_MOVE("flw", "f16", "f17", "f18", "f19", "f20", "f21", "f22", "f23")::"r"(address)
        : "memory", TENSOR_CORE_C0);
  else
    __asm__ volatile(
        TENSOR_CORE_MOVE("flw", "f24", "f25", "f26", "f27", "f28", "f29", "f30", "f31")::"r"(address)
        : "memory", TENSOR_CORE_C1);
}

/* Each row of C times its own factor. `address` is that of the factor of tensor_core_row(), the factors
 * of adjacent rows are adjacent words. Clobbers f0 and f1. */
template <unsigned accumulator>
SIMT_INLINE void tensor_core_scale_rows(unsigned address) {
  if constexpr (accumulator == 0)
    __asm__ volatile(
        "flw f0, 0(%0)\n\tflw f1, 8(%0)\n\t"
        "fmul.s f16, f16, f0\n\tfmul.s f17, f17, f0\n\tfmul.s f18, f18, f1\n\t"
        "fmul.s f19, f19, f1\n\tfmul.s f20, f20, f0\n\tfmul.s f21, f21, f0\n\t"
        "fmul.s f22, f22, f1\n\tfmul.s f23, f23, f1" ::"r"(address)
        : "memory", "f0", "f1", TENSOR_CORE_C0);
  else
    __asm__ volatile(
        "flw f0, 0(%0)\n\tflw f1, 8(%0)\n\t"
        "fmul.s f24, f24, f0\n\tfmul.s f25, f25, f0\n\tfmul.s f26, f26, f1\n\t"
        "fmul.s f27, f27, f1\n\tfmul.s f28, f28, f0\n\tfmul.s f29, f29, f0\n\t"
        "fmul.s f30, f30, f1\n\tfmul.s f31, f31, f1" ::"r"(address)
        : "memory", "f0", "f1", TENSOR_CORE_C1);
}
