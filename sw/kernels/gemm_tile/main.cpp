// SPDX-License-Identifier: Apache-2.0
// C = A * B in FP32 by the tensor cores inside the SIMT cores, as a grid of work groups, one for each tile of C: a
// library of kernels for tiles of several sizes and depths, to be run alone or several at a time
// (docs/howto/streams.md).
//
// Shows: a work group copies `depth` rows of k of A and of B to its part of shared memory, all threads together; each
// of its warps multiplies a part of 16 x 8 of the tile, which stays in its registers. Kernels that end in _p have two
// buffers: the next words are on their way, in registers, while the tensor cores multiply. Sums are in the order of k
// in all of them, so that the results are the same to the bit.
//
// Kernels     gemm_MxNxK and gemm_MxNxK_p, K the depth; gemm is gemm_32x32x16; add
// Arguments   gemm_common/gemm_arguments.h; A column-major, B and C row-major, sizes multiples of the tile and the
//             depth. Bit 0 of `unit`: A is row-major; bit 1: B is column-major. Threads take the same elements then, so
//             that those of a warp are far apart
// Grid        x: tiles of columns of C, y: tiles of rows
#define GEMM_WORK_GROUPS
#include <spica/group.h>
#include <tensor_core.h>

#include "sw/kernels/gemm_common/gemm_arguments.h"

GEMM_ARGUMENTS(arguments);

using Word = uint32_t __attribute__((may_alias));  // an element that is moved

#if !defined(__clang__)  // which has no such variables, and saves these twelve on the stack of each lane
// Callers do not need them back from a kernel: functions do not save and restore them.
register float kept_0 __asm__("fs0");
register float kept_1 __asm__("fs1");
register float kept_2 __asm__("fs2");
register float kept_3 __asm__("fs3");
register float kept_4 __asm__("fs4");
register float kept_5 __asm__("fs5");
register float kept_6 __asm__("fs6");
register float kept_7 __asm__("fs7");
register float kept_8 __asm__("fs8");
register float kept_9 __asm__("fs9");
register float kept_10 __asm__("fs10");
register float kept_11 __asm__("fs11");
#endif

template <unsigned m, unsigned n, unsigned depth, bool prefetch>
struct Tile {
  static constexpr unsigned kRows = 2 * TENSOR_CORE_TILE, kColumns = TENSOR_CORE_TILE;  // of a warp
  static constexpr unsigned kThreads = m / kRows * (n / kColumns) * 8;
  static constexpr unsigned kCountA = m * depth / kThreads,
                            kCountB = n * depth / kThreads;  // words of a thread
  static constexpr unsigned kBuffer = (m + n) * depth * 4;  // words
  static constexpr unsigned kSharedBytes = (prefetch ? 2 : 1) * kBuffer;
  static_assert(m * depth % kThreads == 0 && n * depth % kThreads == 0, "words of a thread");

  // A thread's words of `depth` rows of k, one below the other. `at`: the first one; `row`: words from one k to the
  // next.
  template <unsigned columns, unsigned count>
  SIMT_INLINE void load(Word (&words)[count], const Word* at, unsigned row) {
    static_assert(kThreads % columns == 0, "a thread stays in its column");
    const unsigned step = kThreads / columns * row;
#pragma GCC unroll 16
    for (unsigned i = 0; i < count; ++i, at += step) words[i] = *at;
  }
  // To shared memory; addresses are opaque, so that there is one of them and not one for each word.
  template <unsigned count>
  SIMT_INLINE void store(const Word (&words)[count], unsigned at) {
#pragma GCC unroll 16
    for (unsigned i = 0; i < count; ++i, at = simt_opaque(at + kThreads * 4))
      *ARGUMENT_POINTER(volatile Word, at) = words[i];
  }
  // Both, four or eight words at a time, by way of f0 to f7, which are free between two products: registers of the
  // compiler's would have to be saved on the stacks, lane by lane.
#define LOAD(to) "flw " to ", 0(%0)\n\tadd %0, %0, %2\n\t"
#define STORE(from) "fsw " from ", 0(%1)\n\taddi %1, %1, %3\n\t"
#define COPY_OPERANDS : "+r"(at), "+r"(to) : "r"(step), "i"(kThreads * 4) : "memory", TENSOR_CORE_A
  template <unsigned columns, unsigned count>
  SIMT_INLINE void copy(unsigned at, unsigned row, unsigned to) {
    static_assert(count % 4 == 0, "words of a thread");
    const unsigned step = kThreads / columns * row * 4;
#pragma GCC unroll 4
    for (unsigned i = 0; i < count / 8; ++i)
      __asm__ volatile(LOAD("f0") LOAD("f1") LOAD("f2") LOAD("f3") LOAD("f4") LOAD("f5") LOAD("f6") LOAD("f7")
                           STORE("f0") STORE("f1") STORE("f2") STORE("f3") STORE("f4") STORE("f5") STORE("f6")
                               STORE("f7") COPY_OPERANDS);
    if constexpr (count % 8 != 0)
      __asm__ volatile(LOAD("f0") LOAD("f1") LOAD("f2") LOAD("f3") STORE("f0") STORE("f1") STORE("f2")
                           STORE("f3") COPY_OPERANDS);
  }
#undef LOAD
#undef STORE
#undef COPY_OPERANDS
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
  SIMT_INLINE void multiply(unsigned a, unsigned b) {
#pragma GCC unroll 4
    for (unsigned step = 0; step < depth / TENSOR_CORE_TILE; ++step) {
      load_b<n * 4>(b);
      load_a<m * 4>(a);
      tensor_core_multiply<0>();
      load_a<m * 4>(a + 8 * 4);
      tensor_core_multiply<1>();
      a = simt_opaque(a + TENSOR_CORE_TILE * m * 4);
      b = simt_opaque(b + TENSOR_CORE_TILE * n * 4);
    }
  }

  SIMT_INLINE void run(const GemmArguments* p) {
    const spica::Index3 at = spica::block_index();
    const unsigned thread = spica::group_thread(), lane = thread % 8, warp = thread / 8;
    const unsigned columns = p->n, k = p->k, transposed = p->unit;
    // words from one k to the next, and from an element across to the next
    const unsigned a_k = transposed & 1 ? 1 : p->m, a_across = transposed & 1 ? k : 1;
    const unsigned b_k = transposed & 2 ? 1 : columns, b_across = transposed & 2 ? k : 1;
    const unsigned row = warp / (n / kColumns) * kRows, column = warp % (n / kColumns) * kColumns;
    const Word* a =
        ARGUMENT_POINTER(const Word, p->a) + (at.y * m + thread % m) * a_across + thread / m * a_k;
    const Word* b =
        ARGUMENT_POINTER(const Word, p->b) + (at.x * n + thread % n) * b_across + thread / n * b_k;
    const auto base = static_cast<unsigned>(reinterpret_cast<uintptr_t>(spica::group_shared<Word>()));
    const unsigned mine_a = base + thread * 4, mine_b = mine_a + m * depth * 4;
    const unsigned operand_a = base + (row + lane) * 4, operand_b = base + (m * depth + column + lane) * 4;
    tensor_core_clear<0>();
    tensor_core_clear<1>();
    if constexpr (!prefetch) {
      auto from_a = static_cast<unsigned>(reinterpret_cast<uintptr_t>(a));
      auto from_b = static_cast<unsigned>(reinterpret_cast<uintptr_t>(b));
      for (unsigned left = k; left != 0; left -= depth) {
        copy<m, kCountA>(from_a, a_k, mine_a);
        copy<n, kCountB>(from_b, b_k, mine_b);
        spica::group_barrier();
        multiply(operand_a, operand_b);
        spica::group_barrier();
        from_a += depth * 4 * a_k;
        from_b += depth * 4 * b_k;
      }
    } else {
      Word words_a[kCountA], words_b[kCountB];
      load<m>(words_a, a, a_k);
      load<n>(words_b, b, b_k);
      unsigned buffer = 0;  // its offset
      for (unsigned done = depth;; done += depth) {
        store(words_a, mine_a + buffer);
        store(words_b, mine_b + buffer);
        spica::group_barrier();
        if (done == k) break;
        a += depth * a_k;
        b += depth * b_k;
        load<m>(words_a, a, a_k);
        load<n>(words_b, b, b_k);
        multiply(operand_a + buffer, operand_b + buffer);
        buffer = kBuffer - buffer;
      }
      multiply(operand_a + buffer, operand_b + buffer);
    }
    const unsigned c = static_cast<unsigned>(p->c) + ((at.y * m + row + tensor_core_row(lane)) * columns +
                                                      at.x * n + column + tensor_core_column(lane)) *
                                                         4;
    tensor_core_store<0>(c, 2 * columns * 4);
    tensor_core_store<1>(c + 8 * columns * 4, 2 * columns * 4);
  }
};

#define GEMM_KERNEL(name, ...)                                             \
  using tile_of_##name = Tile<__VA_ARGS__>;                                \
  extern "C" void name(const GemmArguments* p) { tile_of_##name::run(p); } \
  SPICA_KERNEL(name, tile_of_##name::kThreads, tile_of_##name::kSharedBytes)

GEMM_KERNEL(gemm, 32, 32, 16, false);
GEMM_KERNEL(gemm_64x64x16, 64, 64, 16, false);
GEMM_KERNEL(gemm_64x64x32, 64, 64, 32, false);
GEMM_KERNEL(gemm_64x64x16_p, 64, 64, 16, true);
GEMM_KERNEL(gemm_64x32x16, 64, 32, 16, false);
GEMM_KERNEL(gemm_32x64x16, 32, 64, 16, false);
GEMM_KERNEL(gemm_32x32x16, 32, 32, 16, false);
GEMM_KERNEL(gemm_32x16x16, 32, 16, 16, false);
GEMM_KERNEL(gemm_16x32x16, 16, 32, 16, false);

// Element by element: C = A + B, matrices of m x n. A kernel that is limited by memory, to run together with products.
extern "C" void add(const GemmArguments* p) {
  const unsigned i = spica::global_index().x;
  ARGUMENT_POINTER(float, p->c)
  [i] = ARGUMENT_POINTER(const float, p->a)[i] + ARGUMENT_POINTER(const float, p->b)[i];
}
SPICA_KERNEL(add, 64, 0);

GEMM_TILE(32, 32, 16);
