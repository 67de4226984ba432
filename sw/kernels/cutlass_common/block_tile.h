// SPDX-License-Identifier: Apache-2.0
// What products by tensor cores of fragments in registers (wmma.h) in the structure of CUTLASS are made of: tiles of A
// and B on their way from global to shared memory, fragments of a warp, and a row of fragments of C on its way out. The
// loops around them are in the kernels. GEMM_BLOCK_M, _N, _K and GEMM_WARPS_M, _N say the sizes.
//
// Other formats than FP16: GEMM_BF16, GEMM_TF32, GEMM_FP8_E4M3, GEMM_FP8_E5M2, GEMM_FP6_E3M2, GEMM_FP6_E2M3,
// GEMM_FP4_E2M1, or GEMM_INT8, GEMM_UINT8, GEMM_INT4, GEMM_UINT4, which are the number of elements of k in an
// operation. A word then holds other elements, and all else, sizes along k among it, counts words as if they held two of
// FP16. With k contiguous for both operands; sums of integers are 32 bits. GEMM_SCALES: number of elements along k that
// share a scale, 32 (MX) or 16 (NVFP4). The scales of an operation along k lie together, row by row of A, or column by column of
// B; a warp loads them from global memory with its fragments.
#pragma once

#include <pipeline.h>
#include <platform.h>
#include <simt.h>
#include <stdint.h>
#include <wmma.h>

#include "sw/kernels/gemm_common/epilogue.h"
#include "sw/kernels/gemm_common/gemm_arguments.h"
#include "sw/kernels/gemm_common/unrolled.h"

namespace {

#ifdef GEMM_STAGES
constexpr unsigned kStages = GEMM_STAGES;  // buffers of asynchronous copies
static_assert(kStages >= 2 && kStages <= 32, "one buffer to multiply, and one to fill");
BUILT_FOR("gemm.row_elements", 8);  // 16 bytes, which a copy moves
#else
constexpr unsigned kStages = 0;  // through registers, two buffers
#endif
#if defined(GEMM_BF16)
using Element = wmma::bf16;
constexpr unsigned kDepth = 16;  // elements of k in an operation
#elif defined(GEMM_TF32)
using Element = wmma::precision::tf32;
constexpr unsigned kDepth = 8;
#elif defined(GEMM_FP8_E4M3)
using Element = wmma::e4m3;
constexpr unsigned kDepth = 32;
#elif defined(GEMM_FP8_E5M2)
using Element = wmma::e5m2;
constexpr unsigned kDepth = 32;
#elif defined(GEMM_FP6_E3M2)
using Element = wmma::e3m2;
constexpr unsigned kDepth = 32;
#elif defined(GEMM_FP6_E2M3)
using Element = wmma::e2m3;
constexpr unsigned kDepth = 32;
#elif defined(GEMM_FP4_E2M1)
using Element = wmma::e2m1;
constexpr unsigned kDepth = 64;
#elif defined(GEMM_INT8)
using Element = wmma::s8;
constexpr unsigned kDepth = GEMM_INT8;
#elif defined(GEMM_UINT8)
using Element = wmma::u8;
constexpr unsigned kDepth = GEMM_UINT8;
#elif defined(GEMM_UINT4)
using Element = wmma::experimental::precision::u4;
constexpr unsigned kDepth = GEMM_UINT4;
#elif defined(GEMM_INT4)
using Element = wmma::experimental::precision::s4;
constexpr unsigned kDepth = GEMM_INT4;
#else
using Element = wmma::half;
constexpr unsigned kDepth = 16;
#endif
#if defined(GEMM_INT8) || defined(GEMM_UINT8) || defined(GEMM_INT4) || defined(GEMM_UINT4)
#define GEMM_INTEGERS
#endif
#ifndef GEMM_SCALES
using Operand = Element;
#elif GEMM_SCALES == 16
using Operand = wmma::nvfp4;
#else
using Operand = wmma::mx<Element>;
#endif
constexpr unsigned kWordElements =
    wmma::detail::storage<Element>::is_small ? 8 : 4 / sizeof(wmma::storage_of<Element>);
#if defined(GEMM_HALF_SUMS)
using Sum = wmma::half;
#elif defined(GEMM_INTEGERS)
using Sum = int32_t;
#else
using Sum = float;
#endif
// Elements of k are neighbours in memory: A row-major, B column-major.
#if defined(GEMM_K_CONTIGUOUS) || defined(GEMM_A_CONTIGUOUS)
constexpr bool kContiguousA = true;
using LayoutA = wmma::row_major;
#else
constexpr bool kContiguousA = false;
using LayoutA = wmma::col_major;
#endif
#if defined(GEMM_K_CONTIGUOUS) || defined(GEMM_B_CONTIGUOUS)
constexpr bool kContiguousB = true;
using LayoutB = wmma::col_major;
#else
constexpr bool kContiguousB = false;
using LayoutB = wmma::row_major;
#endif

constexpr unsigned kSlice = 16;  // rows and columns of a fragment
constexpr unsigned kSliceK = kDepth / kWordElements * 2;  // of k, as if elements were FP16
static_assert(kSliceK == kSlice || (kContiguousA && kContiguousB),
              "squares of shared memory are those of FP16");
constexpr unsigned kLanes = 32;
constexpr unsigned kBlockM = GEMM_BLOCK_M, kBlockN = GEMM_BLOCK_N, kBlockK = GEMM_BLOCK_K;
GEMM_TILE(kBlockM, kBlockN, kBlockK);
constexpr unsigned kWarpsM = GEMM_WARPS_M, kWarpsN = GEMM_WARPS_N;
constexpr unsigned kThreads = kWarpsM * kWarpsN * kLanes;
constexpr unsigned kRows = kBlockM / kWarpsM / kSlice,
                   kColumns = kBlockN / kWarpsN / kSlice;  // fragments of a warp
constexpr unsigned kSlices = kBlockK / kSliceK;
static_assert(kRows * kColumns + 2 * (kRows + kColumns) <= 32, "a warp has 32 fragments");
static_assert(kSlices % 2 == 0, "the two sets of fragments take turns");

/// The same address, of which the compiler does not know what it is made from: what follows is reached by constant
/// offsets.
template <class T>
SIMT_INLINE T* opaque(T* address) {
  return reinterpret_cast<T*>(simt_opaque(reinterpret_cast<uintptr_t>(address)));
}

/// A block tile of A (`extent`: rows) or B (columns): how it lies in shared memory, and which words a thread moves. A
/// word is two elements that are neighbours in memory. Row r of the tile in memory is r of k, or with contiguous k of
/// `extent`.
template <unsigned extent, bool kContiguousK>
struct Tile {
  static constexpr unsigned kMemoryRows = kContiguousK ? extent : kBlockK;
  static constexpr unsigned kRowWords = (kContiguousK ? kBlockK : extent) / 2;
  static constexpr unsigned kWordsOfThread = kMemoryRows * kRowWords / kThreads;
  // Rows from a word of a thread to its next one.
  static constexpr unsigned kRowStep = kContiguousK ? 1 : kThreads / kRowWords;
  static_assert(kThreads % kRowWords == 0 && kMemoryRows % (kThreads / kRowWords) == 0,
                "all threads move the same number of words");
  static_assert(kContiguousK || kSlice % kRowStep == 0, "the words of a thread are apart by constants");

  static constexpr unsigned kSquareWords = kSlice * kSlice / 2 + 8;  // 8: the next one is in other banks
  static constexpr unsigned kStrideWords = kContiguousK ? kRowWords + 4 : kSlice / 2;
  static constexpr unsigned kWords =
      kContiguousK ? kMemoryRows * kStrideWords : kSlices * (extent / kSlice) * kSquareWords;

  /// Of a word in shared memory.
  static constexpr unsigned place(unsigned row, unsigned word) {
    if (kContiguousK) return row * kStrideWords + word;
    const unsigned square = row / kSlice * (extent / kSlice) + word / (kSlice / 2);
    return square * kSquareWords + row % kSlice * (kSlice / 2) + word % (kSlice / 2);
  }
  /// The first word of a thread: its row, and its place there.
  static constexpr unsigned first_row(unsigned thread) {
    return thread / kRowWords * (kContiguousK ? kWordsOfThread : 1);
  }
  static constexpr unsigned first_word(unsigned thread) { return thread % kRowWords; }
  /// Of the fragment of a slice of k.
  static constexpr unsigned fragment(unsigned slice, unsigned index) {
    return kContiguousK ? place(index * kSlice, slice * kSliceK / 2)
                        : place(slice * kSlice, index * kSlice / 2);
  }
  static constexpr unsigned kStride = kWordElements * kStrideWords;  // of a fragment, in elements

  // Asynchronous copies: 16 bytes of a thread each, in the order of rows. Of eight threads that copy at once, four have
  // row r and four row r + 4, which are in different banks.
  static constexpr unsigned kChunks = kRowWords / 4;  // of a row
  static constexpr unsigned kCopies = kMemoryRows * kChunks / kThreads, kCopyRows = kThreads / kChunks;
  static_assert(kStages == 0 || (kContiguousK && kMemoryRows * kChunks % kThreads == 0 && kCopyRows % 8 == 0),
                "all threads copy the same number of chunks");
  static constexpr unsigned copy_row(unsigned thread) {
    const unsigned row = thread / kChunks;
    return row / 8 * 8 + row / 2 % 4 + row % 2 * 4;
  }
  static constexpr unsigned copy_word(unsigned thread) { return thread % kChunks * 4; }
  SIMT_INLINE void copy(float* to, const float* from, unsigned row_words) {
    const unsigned step = simt_opaque(row_words * kCopyRows * 4);
    unrolled<kCopies>([&](auto i) {
      pipeline_memcpy_async<16>(to + place(decltype(i)::value * kCopyRows, 0), from);
      from = opaque(reinterpret_cast<const float*>(reinterpret_cast<uintptr_t>(from) + step));
    });
  }

  /// The words that this thread moves, on their way.
  struct Moved {
    float words[kWordsOfThread];
  };
  SIMT_INLINE void load(Moved& moved, const float* from, unsigned row_words) {
    const unsigned step = simt_opaque(row_words * kRowStep * 4);
    unrolled<kWordsOfThread>([&](auto i) {
      moved.words[i.value] = *from;
      from = opaque(reinterpret_cast<const float*>(reinterpret_cast<uintptr_t>(from) + step));
    });
  }
  SIMT_INLINE void store(const Moved& moved, float* to) {
    constexpr unsigned kAtOnce =
        kContiguousK ? kWordsOfThread : kSlice / kRowStep;  // offsets fit an instruction
    unrolled<kWordsOfThread / kAtOnce>([&](auto part) {
      constexpr unsigned first = decltype(part)::value * kAtOnce, base = place(first * kRowStep, 0);
      float* const at = opaque(to + base);
      unrolled<kAtOnce>([&](auto i) {
        constexpr unsigned word = first + decltype(i)::value;
        at[place(word * kRowStep, 0) - base] = moved.words[word];
      });
    });
  }
};
using TileA = Tile<kBlockM, kContiguousA>;
using TileB = Tile<kBlockN, kContiguousB>;
constexpr unsigned kBufferWords = TileA::kWords + TileB::kWords;
#ifdef GEMM_ONE_BUFFER
constexpr unsigned kBuffers = 1;
#else
constexpr unsigned kBuffers = kStages == 0 ? 2 : kStages;
#endif

template <unsigned row, unsigned column>
using FragmentC = wmma::fragment<row * kColumns + column, wmma::accumulator, 16, 16, kDepth, Sum>;
template <unsigned set, unsigned row>
using FragmentA = wmma::fragment<kRows * kColumns + set*(kRows + kColumns) + row, wmma::matrix_a, 16, 16,
                                 kDepth, Operand, LayoutA>;
template <unsigned set, unsigned column>
using FragmentB = wmma::fragment<kRows * kColumns + set*(kRows + kColumns) + kRows + column, wmma::matrix_b,
                                 16, 16, kDepth, Operand, LayoutB>;

#ifdef GEMM_SCALES
BUILT_FOR("gemm.scales", 1);
/// Scales of the tile of k that is multiplied, for the rows of A and the columns of B of a lane.
struct Scales {
  static constexpr unsigned kBytes = kDepth / GEMM_SCALES;  // of a row, in an operation
  const uint8_t *a, *b;
  unsigned step_a, step_b;  // bytes from an operation along k to the next one

  /// Scales of the fragment at the address; rows and columns are neighbours.
  SIMT_INLINE uint32_t at(const uint8_t* address) {
    if constexpr (kBytes == 1) return *address;
    else if constexpr (kBytes == 2) return *reinterpret_cast<const uint16_t*>(address);
    else return *reinterpret_cast<const uint32_t*>(address);
  }
  /// To the next tile.
  __attribute__((always_inline)) void advance() {
    a += kSlices * step_a;
    b += kSlices * step_b;
  }
};
#else
struct Scales {
  __attribute__((always_inline)) void advance() {}
};
#endif

/// A thread, and what it works on.
struct Place {
  float *a, *b;  // the first word it stores of a tile, in the first buffer
  const float *fragments_a, *fragments_b;  // of its warp, there
  Scales scales;
};

/// Where the fragments of a slice are that a warp loads.
struct Slice {
  const float *a, *b;
#ifdef GEMM_SCALES
  uint32_t scales[kRows + kColumns];  // of each fragment
#endif
  template <unsigned slice>
  SIMT_INLINE Slice at(const Place& place, unsigned buffer) {
    Slice result;
    result.a = opaque(place.fragments_a + buffer + TileA::fragment(slice, 0));
    result.b = opaque(place.fragments_b + buffer + TileB::fragment(slice, 0));
#ifdef GEMM_SCALES
    const uint8_t* const a = place.scales.a + slice * place.scales.step_a;
    const uint8_t* const b = place.scales.b + slice * place.scales.step_b;
    unrolled<kRows>(
        [&](auto i) { result.scales[i.value] = Scales::at(a + i.value * kSlice * Scales::kBytes); });
    unrolled<kColumns>(
        [&](auto i) { result.scales[kRows + i.value] = Scales::at(b + i.value * kSlice * Scales::kBytes); });
#endif
    return result;
  }
};

// Warps of a row of the block load the same of A, those of a column the same of B. GEMM_MULTICAST_B: A only warps of
// one core, for which that core may have other means (core.load_reuse).
#if defined(GEMM_MULTICAST) && !defined(GEMM_MULTICAST_B)
#define GEMM_LOAD_A wmma::load_matrix_multicast
#else
#define GEMM_LOAD_A wmma::load_matrix_sync
#endif
#ifdef GEMM_MULTICAST
#define GEMM_LOAD_B wmma::load_matrix_multicast
#else
#define GEMM_LOAD_B wmma::load_matrix_sync
#endif

/// Fragment `index` of a slice: those of A, then those of B.
template <unsigned set, unsigned index>
SIMT_INLINE void load_fragment(const Slice& slice) {
  if constexpr (index < kRows) {
    const float* const at = slice.a + TileA::fragment(0, index);
    GEMM_LOAD_A(FragmentA<set, index>{}, reinterpret_cast<const wmma::storage_of<Element>*>(at),
                TileA::kStride);
#ifdef GEMM_SCALES
    wmma::set_scales(FragmentA<set, index>{}, slice.scales[index]);
#endif
  } else {
    constexpr unsigned column = index - kRows;
    const float* const at = slice.b + TileB::fragment(0, column);
    GEMM_LOAD_B(FragmentB<set, column>{}, reinterpret_cast<const wmma::storage_of<Element>*>(at),
                TileB::kStride);
#ifdef GEMM_SCALES
    wmma::set_scales(FragmentB<set, column>{}, slice.scales[index]);
#endif
  }
}

/// All fragments of a slice.
template <unsigned set>
SIMT_INLINE void load_fragments(const Slice& slice) {
  unrolled<kRows + kColumns>([&](auto i) { load_fragment<set, decltype(i)::value>(slice); });
}

/// Multiplies with one set of fragments, column by column.
template <unsigned set>
SIMT_INLINE void multiply_columns() {
  unrolled<kRows * kColumns>([](auto i) {
    constexpr unsigned product = decltype(i)::value, row = product % kRows, column = product / kRows;
    wmma::mma_sync(FragmentC<row, column>{}, FragmentA<set, row>{}, FragmentB<set, column>{},
                   FragmentC<row, column>{});
  });
}

/// Multiplies with one set of fragments, and loads `slice` into the other in between.
template <unsigned set, unsigned slice, bool loads>
SIMT_INLINE void multiply(const Place& place, unsigned buffer) {
  constexpr unsigned kProducts = kRows * kColumns, kLoads = kRows + kColumns;
  constexpr unsigned kEvery = kProducts > kLoads ? kProducts / kLoads : 1;
  const Slice next = Slice::at<slice>(place, buffer);
  unrolled<kProducts>([next](auto i) {
    constexpr unsigned product = decltype(i)::value, row = product / kColumns, column = product % kColumns;
    if constexpr (loads && product % kEvery == 0 && product / kEvery < kLoads)
      load_fragment<1 - set, product / kEvery>(next);
    wmma::mma_sync(FragmentC<row, column>{}, FragmentA<set, row>{}, FragmentB<set, column>{},
                   FragmentC<row, column>{});
  });
  if constexpr (loads && kProducts < kLoads)
    unrolled<kLoads - kProducts>(
        [next](auto i) { load_fragment<1 - set, kProducts + decltype(i)::value>(next); });
}

/// A row of fragments of C on its way to memory: by way of shared memory, so that each store of a warp fills whole
/// lines.
struct Strip {
  static constexpr unsigned kRowWords = kColumns * kSlice * sizeof(Sum) / 4;
  static constexpr unsigned kStrideWords = kRowWords + 4;  // 4: the next row is in other banks
  static constexpr unsigned kWords = kSlice * kStrideWords;  // of a warp
  static_assert(kRowWords % kLanes == 0, "a warp stores whole rows");

  template <unsigned row>
  static void store(float* strip) {
    unrolled<kColumns>([&](auto j) {
      constexpr unsigned column = decltype(j)::value;
      wmma::store_matrix_sync(reinterpret_cast<Sum*>(strip + column * kSlice * sizeof(Sum) / 4),
                              FragmentC<row, column>{}, kStrideWords * 4 / sizeof(Sum), wmma::mem_row_major);
    });
  }
  static void move(const float* strip, float* to, unsigned row_words, unsigned lane) {
    for (unsigned word = lane; word < kRowWords; word += kLanes) {
      const float* const from = opaque(strip + word);
      float words[kSlice];
      unrolled<kSlice>([&](auto i) { words[i.value] = from[i.value * kStrideWords]; });
      const unsigned step = simt_opaque(row_words * 4);
      uintptr_t at = reinterpret_cast<uintptr_t>(to + word);
      unrolled<kSlice>([&](auto i) {
        *reinterpret_cast<float*>(at) = words[i.value];
        at = simt_opaque(at + step);
      });
    }
  }
#ifdef GEMM_EPILOGUE
  /// The same with an epilogue. `to`: in column `column` of C.
  static void finish(const float* strip, const Epilogue& epilogue, Epilogue::Output* to,
                     unsigned row_elements, unsigned column, unsigned lane) {
    static_assert(sizeof(Sum) == 4, "a word is an element");
    for (unsigned word = lane; word < kRowWords; word += kLanes) {
      const Sum* const from = reinterpret_cast<const Sum*>(opaque(strip + word));
      const float bias = epilogue.bias_of(column + word);
      Sum sums[kSlice];
      unrolled<kSlice>([&](auto i) { sums[i.value] = from[i.value * kStrideWords]; });
      const unsigned step = simt_opaque(row_elements * sizeof(Epilogue::Output));
      uintptr_t at = reinterpret_cast<uintptr_t>(to + word);
      unrolled<kSlice>([&](auto i) {
        *reinterpret_cast<Epilogue::Output*>(at) = epilogue.of(sums[i.value], bias);
        at = simt_opaque(at + step);
      });
    }
  }
#endif
};
static_assert(Strip::kWords * kWarpsM * kWarpsN <= kBuffers * kBufferWords, "C takes the room of A and B");

}  // namespace
