// SPDX-License-Identifier: Apache-2.0
// C = A * B in FP32 by the tensor cores inside the SIMT cores, as a grid of work groups, one for each tile of C: a
// library of kernels for tiles of several sizes, depths and numbers of warps, to be run alone or several at a time
// (docs/howto/streams.md).
//
// Shows: each warp of a work group multiplies a part of the tile, 8 x 8, 16 x 8 or 8 x 16, which stays in its
// registers. Shared memory has two buffers of `depth` rows of k of A and of B. While the tensor cores multiply one, the
// words of the next are on their way to registers of all threads. At the end a warp exchanges its part through its own
// strip of shared memory, so that eight lanes store 32 contiguous bytes of C. Sums are in the order of k in all kernels,
// so that the results are the same to the bit.
//
// Kernels     gemm_MxNxK, K the depth; gemm is gemm_32x32x16; add. A part of 8 x 8 takes twice the warps of the others
//             for a tile: fewer work groups fit into a cluster, and each is sooner done
// Arguments   gemm_common/gemm_arguments.h; A column-major, B and C row-major, sizes multiples of the tile and the
//             depth. Bit 0 of `unit`: A is row-major; bit 1: B is column-major. Threads take the same elements then, so
//             that those of a warp are far apart
// Grid        x: tiles of columns of C, y: tiles of rows
#define GEMM_WORK_GROUPS
#define TENSOR_CORE_UNSAVED
#include <spica/group.h>
#include <tensor_core.h>

#include "sw/kernels/gemm_common/gemm_arguments.h"

GEMM_ARGUMENTS(arguments);

using Word = uint32_t __attribute__((may_alias));  // an element that is moved

template <unsigned m, unsigned n, unsigned depth, unsigned rows, unsigned columns>
struct Tile {
  static constexpr unsigned kParts = m / rows * (n / columns), kThreads = kParts * 8;
  static constexpr bool kTwoOfA = rows == 16, kTwoOfB = columns == 16;  // accumulators
  static_assert((rows == 8 || rows == 16) && (columns == 8 || columns == 16) && !(kTwoOfA && kTwoOfB),
                "a warp has two accumulators");
  // Words of a thread.
  static constexpr unsigned kCountA = m * depth / kThreads, kCountB = n * depth / kThreads;
  static_assert(m * depth % kThreads == 0 && n * depth % kThreads == 0, "words of a thread");
  static constexpr unsigned kBuffer = (m + n) * depth * 4;  // bytes
  // The strip of a warp: eight rows, a word apart so that neither stores nor loads conflict.
  static constexpr unsigned kStripRow = 9 * 4, kStrip = 8 * kStripRow;
  static constexpr unsigned kSharedBytes = 2 * kBuffer > kParts* kStrip ? 2 * kBuffer : kParts* kStrip;
  static constexpr unsigned kRegisters = kTwoOfA || kTwoOfB ? 64 : 56;

  // How words come to shared memory. Ahead: they wait in f24 to f31, which one accumulator leaves free, while the warp
  // multiplies. Otherwise f0 to f7 bring them before it multiplies, and only other warps multiply meanwhile. Registers of
  // the compiler's would be saved on the stacks, lane by lane.
  static constexpr bool kAhead = !kTwoOfA && !kTwoOfB && kCountA + kCountB <= 8;
#define MOVE(i, ahead, other)                                      \
  if constexpr (number == i && is_load && kAhead)                  \
    __asm__ volatile("flw " ahead ", 0(%0)" ::"r"(at) : "memory"); \
  if constexpr (number == i && is_load && !kAhead)                 \
    __asm__ volatile("flw " other ", 0(%0)" ::"r"(at) : "memory"); \
  if constexpr (number == i && !is_load && kAhead)                 \
    __asm__ volatile("fsw " ahead ", 0(%0)" ::"r"(at) : "memory"); \
  if constexpr (number == i && !is_load && !kAhead)                \
  __asm__ volatile("fsw " other ", 0(%0)" ::"r"(at) : "memory")
  // Words `number` and following, `count` of them, `step` bytes apart. Returns the address behind them.
  template <unsigned number, unsigned count, bool is_load>
  SIMT_INLINE unsigned move(unsigned at, unsigned step) {
    if constexpr (count == 0) return at;
    else {
      MOVE(0, "f24", "f0");
      MOVE(1, "f25", "f1");
      MOVE(2, "f26", "f2");
      MOVE(3, "f27", "f3");
      MOVE(4, "f28", "f4");
      MOVE(5, "f29", "f5");
      MOVE(6, "f30", "f6");
      MOVE(7, "f31", "f7");
      static_assert(number < 8, "registers of a thread's words");
      return move<number + 1, count - 1, is_load>(simt_opaque(at + step), step);
    }
  }
#undef MOVE
  // The thread's words of the next rows of k of A and B, `to`: their place in a buffer. Ahead: store() is behind it.
  SIMT_INLINE void load(unsigned& a, unsigned step_a, unsigned& b, unsigned step_b, unsigned to) {
    a = move<0, kCountA, true>(a, step_a);
    if constexpr (kCountA + kCountB > 8) {
      to = move<0, kCountA, false>(to, kThreads * 4);
      b = move<0, kCountB, true>(b, step_b);
      move<0, kCountB, false>(to, kThreads * 4);
    } else {
      b = move<kCountA, kCountB, true>(b, step_b);
      if constexpr (!kAhead) move<0, kCountA + kCountB, false>(to, kThreads * 4);
    }
  }
  SIMT_INLINE void store(unsigned to) {
    if constexpr (kAhead) move<0, kCountA + kCountB, false>(to, kThreads * 4);
  }
  template <unsigned stride>
  SIMT_INLINE void load_a(unsigned address) {
    if constexpr (7 * stride < 2048) tensor_core_load_a<stride>(address);
    else tensor_core_load_a_far<stride>(address);
  }
  template <unsigned stride>
  SIMT_INLINE void load_b(unsigned address) {
    if constexpr (7 * stride < 2048) tensor_core_load_b<stride>(address);
    else tensor_core_load_b_far<stride>(address);
  }
  // Addresses are opaque, so that none is kept in a register for longer than it is needed.
  SIMT_INLINE void multiply(unsigned a, unsigned b) {
#pragma GCC unroll 4
    for (unsigned step = 0; step < depth / TENSOR_CORE_TILE; ++step) {
      a = simt_opaque(a);
      b = simt_opaque(b);
      load_b<n * 4>(b);
      load_a<m * 4>(a);
      tensor_core_multiply<0>();
      if constexpr (kTwoOfA) load_a<m * 4>(simt_opaque(a) + TENSOR_CORE_TILE * 4);
      if constexpr (kTwoOfB) load_b<n * 4>(simt_opaque(b) + TENSOR_CORE_TILE * 4);
      if constexpr (kTwoOfA || kTwoOfB) tensor_core_multiply<1>();
      a += TENSOR_CORE_TILE * m * 4;
      b += TENSOR_CORE_TILE * n * 4;
    }
  }
  // The 8 x 8 elements of an accumulator to C, `to` the lane's in the first row, by way of the warp's strip.
  template <unsigned accumulator>
  SIMT_INLINE void finish(unsigned strip, unsigned lane, unsigned to, unsigned row_bytes) {
    tensor_core_store<accumulator>(strip + tensor_core_row(lane) * kStripRow + tensor_core_column(lane) * 4,
                                   2 * kStripRow);
    simt_fence();
    __asm__ volatile(
        "flw f0, 0(%1)\n\tflw f1, %3(%1)\n\tflw f2, %4(%1)\n\tflw f3, %5(%1)\n\t"
        "flw f4, %6(%1)\n\tflw f5, %7(%1)\n\tflw f6, %8(%1)\n\tflw f7, %9(%1)\n\t"
        "fsw f0, 0(%0)\n\tadd %0, %0, %2\n\tfsw f1, 0(%0)\n\tadd %0, %0, %2\n\t"
        "fsw f2, 0(%0)\n\tadd %0, %0, %2\n\tfsw f3, 0(%0)\n\tadd %0, %0, %2\n\t"
        "fsw f4, 0(%0)\n\tadd %0, %0, %2\n\tfsw f5, 0(%0)\n\tadd %0, %0, %2\n\t"
        "fsw f6, 0(%0)\n\tadd %0, %0, %2\n\tfsw f7, 0(%0)"
        : "+r"(to)
        : "r"(strip + lane * 4), "r"(row_bytes), TENSOR_CORE_OFFSETS(kStripRow)
        : "memory");
  }

  SIMT_INLINE void run(const GemmArguments* p) {
    {
      const spica::Index3 at = spica::block_index();
      const unsigned thread = spica::group_thread(), warp = thread / 8;
      const unsigned k = p->k, transposed = p->unit;
      // bytes from one k to the next, and from an element across to the next
      const unsigned a_k = transposed & 1 ? 4 : p->m * 4, a_across = transposed & 1 ? k * 4 : 4;
      const unsigned b_k = transposed & 2 ? 4 : p->n * 4, b_across = transposed & 2 ? k * 4 : 4;
      static_assert(kThreads % m == 0 && kThreads % n == 0, "a thread stays in its column");
      // The thread's words of `depth` rows of k lie below each other, and the next rows follow.
      unsigned a = static_cast<unsigned>(p->a) + (at.y * m + thread % m) * a_across + thread / m * a_k;
      unsigned b = static_cast<unsigned>(p->b) + (at.x * n + thread % n) * b_across + thread / n * b_k;
      const unsigned step_a = kThreads / m * a_k, step_b = kThreads / n * b_k;
      const unsigned base = spica::detail::group_shared();
      // Where the thread's words go, those of B behind those of A, and how far the other buffer is.
      unsigned mine = base + thread * 4, flip = kBuffer;
      unsigned operand_a = base + (warp / (n / columns) * rows + thread % 8) * 4;
      unsigned operand_b = base + (m * depth + warp % (n / columns) * columns + thread % 8) * 4;
      tensor_core_clear<0>();
      if constexpr (kTwoOfA || kTwoOfB) tensor_core_clear<1>();
      load(a, step_a, b, step_b, mine);
      for (unsigned left = k;;) {
        store(mine);
        spica::group_barrier();
        left -= depth;
        if (left == 0) break;
        mine += flip;
        load(a, step_a, b, step_b, mine);
        multiply(operand_a, operand_b);
        operand_a += flip;
        operand_b += flip;
        flip = 0 - flip;
      }
      multiply(operand_a, operand_b);
    }
    spica::group_barrier();  // strips lie where the buffers are
    // Read again, so that they are in no registers before.
    p = ARGUMENT_POINTER(const GemmArguments, read<0x340>());
    const unsigned lane = read<0xCC0>(), warp = read<0xCD1>(), row_bytes = p->n * 4;
    const unsigned strip = read<0xCDF>() + warp * kStrip;
    const unsigned c = static_cast<unsigned>(p->c) +
                       (read<0xCD7>() * m + warp / (n / columns) * rows) * row_bytes +
                       (read<0xCD6>() * n + warp % (n / columns) * columns + lane) * 4;
    finish<0>(strip, lane, c, row_bytes);
    if constexpr (kTwoOfA) finish<1>(strip, lane, c + 8 * row_bytes, row_bytes);
    if constexpr (kTwoOfB) finish<1>(strip, lane, c + 8 * 4, row_bytes);
  }

  template <unsigned number>
  SIMT_INLINE unsigned read() {
    unsigned value;
    __asm__ volatile("csrr %0, %1" : "=r"(value) : "i"(number));
    return value;
  }
};

#define GEMM_KERNEL(name, ...)                                                \
  using tile_of_##name = Tile<__VA_ARGS__>;                                   \
  extern "C" void name(const GemmArguments* p) { tile_of_##name::run(p); }    \
  SPICA_KERNEL(name, tile_of_##name::kThreads, tile_of_##name::kSharedBytes); \
  SPICA_KERNEL_NEEDS(name, tile_of_##name::kRegisters, 1)

// Tile, depth, part of a warp. A cluster of 32 warps has room for 32 / (M * N / part) work groups.
GEMM_KERNEL(gemm, 32, 32, 16, 8, 8);
GEMM_KERNEL(gemm_64x64x16, 64, 64, 16, 16, 8);
GEMM_KERNEL(gemm_64x64x32, 64, 64, 32, 8, 16);
GEMM_KERNEL(gemm_64x32x16, 64, 32, 16, 8, 8);
GEMM_KERNEL(gemm_32x64x16, 32, 64, 16, 8, 8);
GEMM_KERNEL(gemm_64x32x8, 64, 32, 8, 16, 8);
GEMM_KERNEL(gemm_32x64x8, 32, 64, 8, 8, 16);
GEMM_KERNEL(gemm_32x32x16, 32, 32, 16, 8, 8);
GEMM_KERNEL(gemm_32x32x8, 32, 32, 8, 16, 8);
GEMM_KERNEL(gemm_32x16x16, 32, 16, 16, 8, 8);
GEMM_KERNEL(gemm_16x32x16, 16, 32, 16, 8, 8);

// Element by element: C = A + B, matrices of m x n. A kernel that is limited by memory, to run together with products.
extern "C" void add(const GemmArguments* p) {
  const unsigned i = spica::global_index().x;
  ARGUMENT_POINTER(float, p->c)
  [i] = ARGUMENT_POINTER(const float, p->a)[i] + ARGUMENT_POINTER(const float, p->b)[i];
}
SPICA_KERNEL(add, 64, 0);

GEMM_TILE(32, 32, 16);
