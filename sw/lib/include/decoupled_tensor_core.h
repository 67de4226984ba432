/* SPDX-License-Identifier: Apache-2.0
 *
 * The decoupled tensor core of a SIMT core (v2, Hopper style): one instruction of a warp of eight
 * lanes adds the product of a 16 x K tile of A and a K x 16 tile of B, both in shared memory, to a
 * 16 x 16 tile of C in f0..f31. K is 32 (FP16) or 16 (FP32); C is FP32.
 *
 *   A, B     1 KB each, at a multiple of 32 bytes. Four sets along k; a set is eight blocks of 32
 *            bytes; block i has rows (of A; columns of B) 2 i and 2 i + 1, 16 bytes of k each
 *   C        f(r) of lane l: row 4 ((r / 2) % 4) + l % 4, column 4 (r / 8) + 2 (r % 2) + l / 4
 *
 * The instruction returns at once. Until decoupled_tensor_wait() the warp must leave f0..f31 and the
 * two tiles alone; other warps, other registers and other memory are free. Up to 15 instructions of
 * a warp may be in flight; they complete in order. Nor does the tensor core wait for what the warp
 * still has in flight: neither loads into f0..f31 nor stores to the tiles. After those, call
 * decoupled_tensor_settle(), before the barrier if other warps read the tiles.
 *
 * The registers are fixed and the compiler does not know that they are live from one function to
 * the next: between decoupled_tensor_clear() and decoupled_tensor_store() there may be no
 * float variable, and all uses must be in one function (see tensor_core.h). C++ only. */
#pragma once

#include "built_for.h"
#include "simt.h"

#define DECOUPLED_TENSOR_TILE 16         /* rows of A and C, columns of B and C */
#define DECOUPLED_TENSOR_TILE_BYTES 1024 /* of A, and of B */

#define DECOUPLED_TENSOR_C                                                                              \
  "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12", "f13", "f14", "f15", \
      "f16", "f17", "f18", "f19", "f20", "f21", "f22", "f23", "f24", "f25", "f26", "f27", "f28", "f29", \
      "f30", "f31"

/* Row and column of C that the lane has in f0. */
SIMT_INLINE unsigned decoupled_tensor_row(unsigned lane) { return lane % 4; }
SIMT_INLINE unsigned decoupled_tensor_column(unsigned lane) { return lane / 4; }

/* C = 0 */
SIMT_INLINE void decoupled_tensor_clear(void) {
  __asm__ volatile(
      "fmv.w.x f0, x0\n\tfmv.w.x f1, x0\n\tfmv.w.x f2, x0\n\tfmv.w.x f3, x0\n\t"
      "fmv.w.x f4, x0\n\tfmv.w.x f5, x0\n\tfmv.w.x f6, x0\n\tfmv.w.x f7, x0\n\t"
      "fmv.w.x f8, x0\n\tfmv.w.x f9, x0\n\tfmv.w.x f10, x0\n\tfmv.w.x f11, x0\n\t"
      "fmv.w.x f12, x0\n\tfmv.w.x f13, x0\n\tfmv.w.x f14, x0\n\tfmv.w.x f15, x0\n\t"
      "fmv.w.x f16, x0\n\tfmv.w.x f17, x0\n\tfmv.w.x f18, x0\n\tfmv.w.x f19, x0\n\t"
      "fmv.w.x f20, x0\n\tfmv.w.x f21, x0\n\tfmv.w.x f22, x0\n\tfmv.w.x f23, x0\n\t"
      "fmv.w.x f24, x0\n\tfmv.w.x f25, x0\n\tfmv.w.x f26, x0\n\tfmv.w.x f27, x0\n\t"
      "fmv.w.x f28, x0\n\tfmv.w.x f29, x0\n\tfmv.w.x f30, x0\n\tfmv.w.x f31, x0" ::
          : DECOUPLED_TENSOR_C);
}

/* Waits until everything this warp did before is done: a CSR access waits for the instructions of its
 * warp, among them a fence, which waits for stores. */
SIMT_INLINE void decoupled_tensor_settle(void) {
  simt_fence();
  (void)simt_mask();
}

/* C += A * B, later. The addresses of the tiles come from lane 0, active or not. */
SIMT_INLINE void decoupled_tensor_multiply(unsigned a, unsigned b) {
  BUILT_FOR_WORD_HERE("tensor_core.style", "decoupled");
  __asm__ volatile(".insn r CUSTOM_3, 0, 0, x0, %0, %1" ::"r"(a), "r"(b) : "memory", DECOUPLED_TENSOR_C);
}

/* Waits until all of the warp's products are in C. */
SIMT_INLINE void decoupled_tensor_wait(void) {
  BUILT_FOR_WORD_HERE("tensor_core.style", "decoupled");
  __asm__ volatile(".insn r CUSTOM_3, 1, 0, x0, x0, x0" ::: "memory", DECOUPLED_TENSOR_C);
}

/* C to a row-major FP32 matrix; `address` is that of the lane's element in f0. A store writes two
 * adjacent words of four rows. */
SIMT_INLINE void decoupled_tensor_store(unsigned address, unsigned row_bytes) {
  const unsigned four_rows = 4 * row_bytes;
  const unsigned second = address + four_rows, third = second + four_rows;
  __asm__ volatile(
      "fsw f0, 0(%0)\n\tfsw f1, 8(%0)\n\tfsw f8, 16(%0)\n\tfsw f9, 24(%0)\n\t"
      "fsw f16, 32(%0)\n\tfsw f17, 40(%0)\n\tfsw f24, 48(%0)\n\tfsw f25, 56(%0)\n\t"
      "fsw f2, 0(%1)\n\tfsw f3, 8(%1)\n\tfsw f10, 16(%1)\n\tfsw f11, 24(%1)\n\t"
      "fsw f18, 32(%1)\n\tfsw f19, 40(%1)\n\tfsw f26, 48(%1)\n\tfsw f27, 56(%1)\n\t"
      "fsw f4, 0(%2)\n\tfsw f5, 8(%2)\n\tfsw f12, 16(%2)\n\tfsw f13, 24(%2)\n\t"
      "fsw f20, 32(%2)\n\tfsw f21, 40(%2)\n\tfsw f28, 48(%2)\n\tfsw f29, 56(%2)\n\t"
      "fsw f6, 0(%3)\n\tfsw f7, 8(%3)\n\tfsw f14, 16(%3)\n\tfsw f15, 24(%3)\n\t"
      "fsw f22, 32(%3)\n\tfsw f23, 40(%3)\n\tfsw f30, 48(%3)\n\tfsw f31, 56(%3)" ::"r"(address),
      "r"(second), "r"(third), "r"(third + four_rows)
      : "memory");
}

/* C as it is, register r at address + 64 (r % 16) + 32 (r / 16): 1 KB of memory in one piece when the
 * addresses of the eight lanes are adjacent words, 32 bytes in each store. */
SIMT_INLINE void decoupled_tensor_save(unsigned address) {
  __asm__ volatile(
      "fsw f0, 0(%0)\n\tfsw f1, 64(%0)\n\tfsw f2, 128(%0)\n\tfsw f3, 192(%0)\n\t"
      "fsw f4, 256(%0)\n\tfsw f5, 320(%0)\n\tfsw f6, 384(%0)\n\tfsw f7, 448(%0)\n\t"
      "fsw f8, 512(%0)\n\tfsw f9, 576(%0)\n\tfsw f10, 640(%0)\n\tfsw f11, 704(%0)\n\t"
      "fsw f12, 768(%0)\n\tfsw f13, 832(%0)\n\tfsw f14, 896(%0)\n\tfsw f15, 960(%0)\n\t"
      "fsw f16, 32(%0)\n\tfsw f17, 96(%0)\n\tfsw f18, 160(%0)\n\tfsw f19, 224(%0)\n\t"
      "fsw f20, 288(%0)\n\tfsw f21, 352(%0)\n\tfsw f22, 416(%0)\n\tfsw f23, 480(%0)\n\t"
      "fsw f24, 544(%0)\n\tfsw f25, 608(%0)\n\tfsw f26, 672(%0)\n\tfsw f27, 736(%0)\n\t"
      "fsw f28, 800(%0)\n\tfsw f29, 864(%0)\n\tfsw f30, 928(%0)\n\tfsw f31, 992(%0)" ::"r"(address)
      : "memory");
}

/* C from where decoupled_tensor_save() has put it. The loads are under way when it returns: call
 * decoupled_tensor_settle() before the next product. */
SIMT_INLINE void decoupled_tensor_restore(unsigned address) {
  __asm__ volatile(
      "flw f0, 0(%0)\n\tflw f1, 64(%0)\n\tflw f2, 128(%0)\n\tflw f3, 192(%0)\n\t"
      "flw f4, 256(%0)\n\tflw f5, 320(%0)\n\tflw f6, 384(%0)\n\tflw f7, 448(%0)\n\t"
      "flw f8, 512(%0)\n\tflw f9, 576(%0)\n\tflw f10, 640(%0)\n\tflw f11, 704(%0)\n\t"
      "flw f12, 768(%0)\n\tflw f13, 832(%0)\n\tflw f14, 896(%0)\n\tflw f15, 960(%0)\n\t"
      "flw f16, 32(%0)\n\tflw f17, 96(%0)\n\tflw f18, 160(%0)\n\tflw f19, 224(%0)\n\t"
      "flw f20, 288(%0)\n\tflw f21, 352(%0)\n\tflw f22, 416(%0)\n\tflw f23, 480(%0)\n\t"
      "flw f24, 544(%0)\n\tflw f25, 608(%0)\n\tflw f26, 672(%0)\n\tflw f27, 736(%0)\n\t"
      "flw f28, 800(%0)\n\tflw f29, 864(%0)\n\tflw f30, 928(%0)\n\tflw f31, 992(%0)" ::"r"(address)
      : "memory", DECOUPLED_TENSOR_C);
}
