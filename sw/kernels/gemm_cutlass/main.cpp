// SPDX-License-Identifier: Apache-2.0
// C = A * B by tensor cores of fragments in registers (wmma.h), in the structure of CUTLASS.
//
// Shows: three stages that overlap, each with two buffers. While the warps multiply a block tile of k, all threads load the
// next one from global memory into registers and store it to the other half of shared memory; while a warp multiplies a
// slice of 16 of k, it loads the fragments of the next slice. C stays in registers. One barrier per tile of k. At the end C
// goes through shared memory, so that stores fill whole lines.
//
// With GEMM_STAGES there are so many buffers in shared memory, and asynchronous copies (pipeline.h) fill all but the one
// that is multiplied: the way through registers, and the instructions for it, are gone. GEMM_K_CONTIGUOUS only.
//
// Tiles    GEMM_BLOCK_M x GEMM_BLOCK_N x GEMM_BLOCK_K per block, shared by GEMM_WARPS_M x GEMM_WARPS_N warps of the
//          cluster; the blocks one after the other
// Shared   (without GEMM_K_CONTIGUOUS) squares of 16x16, k by k, so that the words of a fragment lie in different banks;
//          (with it) rows of GEMM_BLOCK_K elements and 8 more
//
// Arguments: gemm_common/gemm_arguments.h; A column-major and B row-major, with GEMM_K_CONTIGUOUS A row-major and B
// column-major, FP16; C row-major, FP32 or with GEMM_HALF_SUMS FP16; sizes are multiples of the tile.
// Prints "cycles: N": from the start to the moment all cores are done.
#include <pipeline.h>
#include <platform.h>
#include <simt.h>
#include <spawn.h>
#include <stdio.h>
#include <wmma.h>

#include "sw/kernels/gemm_common/gemm_arguments.h"
#include "sw/kernels/gemm_common/gemm_strides.h"

#ifndef GEMM_BLOCK_M
#define GEMM_BLOCK_M 256
#define GEMM_BLOCK_N 128
#define GEMM_BLOCK_K 32
#define GEMM_WARPS_M 4
#define GEMM_WARPS_N 2
#endif

GEMM_ARGUMENTS(arguments);

namespace {

#ifdef GEMM_STAGES
constexpr unsigned kStages = GEMM_STAGES;  // buffers of asynchronous copies
static_assert(kStages >= 2 && kStages <= 32, "one buffer to multiply, and one to fill");
BUILT_FOR("gemm.row_elements", 8);  // 16 bytes, which a copy moves
#else
constexpr unsigned kStages = 0;  // through registers, two buffers
#endif
#ifdef GEMM_HALF_SUMS
using Sum = wmma::half;
#else
using Sum = float;
#endif
#ifdef GEMM_K_CONTIGUOUS
constexpr bool kContiguousK = true;
using LayoutA = wmma::row_major;
using LayoutB = wmma::col_major;
#else
constexpr bool kContiguousK = false;
using LayoutA = wmma::col_major;
using LayoutB = wmma::row_major;
#endif

constexpr unsigned kSlice = 16;  // of k, and the size of a fragment
constexpr unsigned kLanes = 32;
constexpr unsigned kBlockM = GEMM_BLOCK_M, kBlockN = GEMM_BLOCK_N, kBlockK = GEMM_BLOCK_K;
GEMM_TILE(kBlockM, kBlockN, kBlockK);
constexpr unsigned kWarpsM = GEMM_WARPS_M, kWarpsN = GEMM_WARPS_N;
constexpr unsigned kThreads = kWarpsM * kWarpsN * kLanes;
constexpr unsigned kRows = kBlockM / kWarpsM / kSlice,
                   kColumns = kBlockN / kWarpsN / kSlice;  // fragments of a warp
constexpr unsigned kSlices = kBlockK / kSlice;
static_assert(kRows * kColumns + 2 * (kRows + kColumns) <= 32, "a warp has 32 fragments");
static_assert(kSlices % 2 == 0, "the two sets of fragments take turns");

/// f(Number<0>), f(Number<1>), ...: fragments are named by constants.
template <unsigned i>
struct Number {
  static constexpr unsigned value = i;
};
template <unsigned count, unsigned i = 0, class F>
SIMT_INLINE void unrolled(F f) {
  if constexpr (i < count) {
    f(Number<i>{});
    unrolled<count, i + 1>(f);
  }
}

/// The same address, of which the compiler does not know what it is made from: what follows is reached by constant offsets.
template <class T>
SIMT_INLINE T* opaque(T* address) {
  return reinterpret_cast<T*>(simt_opaque(reinterpret_cast<uintptr_t>(address)));
}

/// A block tile of A (`extent`: rows) or B (columns): how it lies in shared memory, and which words a thread moves. A word
/// is two elements that are neighbours in memory. Row r of the tile in memory is r of k, or with contiguous k of `extent`.
template <unsigned extent>
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
    return kContiguousK ? place(index * kSlice, slice * kSlice / 2)
                        : place(slice * kSlice, index * kSlice / 2);
  }
  static constexpr unsigned kStride = 2 * kStrideWords;  // of a fragment, in elements

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
using TileA = Tile<kBlockM>;
using TileB = Tile<kBlockN>;
constexpr unsigned kBufferWords = TileA::kWords + TileB::kWords;

template <unsigned row, unsigned column>
using FragmentC = wmma::fragment<row * kColumns + column, wmma::accumulator, 16, 16, 16, Sum>;
template <unsigned set, unsigned row>
using FragmentA = wmma::fragment<kRows * kColumns + set*(kRows + kColumns) + row, wmma::matrix_a, 16, 16, 16,
                                 wmma::half, LayoutA>;
template <unsigned set, unsigned column>
using FragmentB = wmma::fragment<kRows * kColumns + set*(kRows + kColumns) + kRows + column, wmma::matrix_b,
                                 16, 16, 16, wmma::half, LayoutB>;

/// A thread, and what it works on.
struct Place {
  float *a, *b;  // the first word it stores of a tile, in the first buffer
  const float *fragments_a, *fragments_b;  // of its warp, there
};

/// Where the fragments of a slice are that a warp loads.
struct Slice {
  const float *a, *b;
  template <unsigned slice>
  SIMT_INLINE Slice at(const Place& place, unsigned buffer) {
    return {opaque(place.fragments_a + buffer + TileA::fragment(slice, 0)),
            opaque(place.fragments_b + buffer + TileB::fragment(slice, 0))};
  }
};

/// Fragment `index` of a slice: those of A, then those of B.
template <unsigned set, unsigned index>
SIMT_INLINE void load_fragment(const Slice& slice) {
  if constexpr (index < kRows) {
    const float* const at = slice.a + TileA::fragment(0, index);
    wmma::load_matrix_sync(FragmentA<set, index>{}, reinterpret_cast<const wmma::half*>(at), TileA::kStride);
  } else {
    constexpr unsigned column = index - kRows;
    const float* const at = slice.b + TileB::fragment(0, column);
    wmma::load_matrix_sync(FragmentB<set, column>{}, reinterpret_cast<const wmma::half*>(at), TileB::kStride);
  }
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

/// A row of fragments of C on its way to memory: by way of shared memory, so that each store of a warp fills whole lines.
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
};
static_assert(Strip::kWords * kWarpsM * kWarpsN <= (kStages == 0 ? 2 : kStages) * kBufferWords,
              "C takes the room of A and B");

struct Product {
  unsigned m, n, k;
  const float *a, *b;
  Sum* c;
};

/// The tiles of a block one after the other in memory, for one thread.
struct Source {
  const float *a, *b;
  unsigned row_words_a, row_words_b;  // from row to row,
  unsigned tile_words_a, tile_words_b;  // and from tile to tile of k
};

/// A's tile of k that begins at `k`: behind the one at `a`, or (GEMM_STRIDED) where its run is. `first`: at k = 0.
SIMT_INLINE const float* next_tile_of_a(const float* a, const float* first, unsigned tile_words, unsigned k) {
#ifdef GEMM_STRIDED
  if (kContiguousK) return k < arguments.k ? first + gemm_column_of_a(arguments, k) / 2 : a;
#endif
  (void)first, (void)k;
  return a + tile_words;
}

/// Multiplies all tiles of k, with asynchronous copies: those of a tile are a group, and while a tile is multiplied the ones
/// behind it are on their way.
SIMT_INLINE void multiply_tiles_async(const Product& p, const Place& place, Source source, unsigned warps) {
  constexpr unsigned kAhead = kStages == 0 ? 1 : kStages - 1, kEnd = kStages * kBufferWords;
  const float* const first_a = source.a;
  source.a += gemm_column_of_a(arguments, 0) / 2;
  unsigned k = 0, fill = 0;  // what is copied next: of k, and into which buffer
  const auto copy = [&]() __attribute__((always_inline)) {
    if (k < p.k) {
      TileA::copy(place.a + fill, source.a, source.row_words_a);
      TileB::copy(place.b + fill, source.b, source.row_words_b);
      source.a = next_tile_of_a(source.a, first_a, source.tile_words_a, k + kBlockK);
      source.b += source.tile_words_b;
      k += kBlockK;
      fill += kBufferWords;
      if (fill == kEnd) fill = 0;
    }
    pipeline_commit();  // an empty group behind the last tile: the number to wait for stays
  };
  for (unsigned i = 0; i < kAhead; ++i) copy();
  pipeline_wait_prior<kAhead - 1>();
  simt_barrier(0, warps);
  const Slice first = Slice::at<0>(place, 0);
  unrolled<kRows + kColumns>([&](auto i) { load_fragment<0, decltype(i)::value>(first); });

  unsigned buffer = 0;  // of the tile that is multiplied, in words
  for (unsigned left = p.k - kBlockK; left != 0; left -= kBlockK) {
    copy();
    unrolled<kSlices - 1>([&](auto slice) {
      constexpr unsigned now = decltype(slice)::value;
      multiply<now % 2, now + 1, true>(place, buffer);
    });
    buffer += kBufferWords;
    if (buffer == kEnd) buffer = 0;
    pipeline_wait_prior<kAhead - 1>();
    simt_barrier(0, warps);
    multiply<(kSlices - 1) % 2, 0, true>(place, buffer);
  }
  unrolled<kSlices - 1>([&](auto slice) {
    constexpr unsigned now = decltype(slice)::value;
    multiply<now % 2, now + 1, true>(place, buffer);
  });
  multiply<(kSlices - 1) % 2, 0, false>(place, buffer);
}

void block(const Product& p, unsigned thread, unsigned block_row, unsigned block_column) {
  const unsigned warp = thread / kLanes, warp_row = warp / kWarpsN * kRows,
                 warp_column = warp % kWarpsN * kColumns;
  auto* const shared = reinterpret_cast<float*>(PLATFORM_SHARED_BASE);
  constexpr bool kAsync = kStages != 0;
  const unsigned row_a = kAsync ? TileA::copy_row(thread) : TileA::first_row(thread);
  const unsigned row_b = kAsync ? TileB::copy_row(thread) : TileB::first_row(thread);
  const unsigned word_a = kAsync ? TileA::copy_word(thread) : TileA::first_word(thread);
  const unsigned word_b = kAsync ? TileB::copy_word(thread) : TileB::first_word(thread);
  const Place place = {
      shared + TileA::place(row_a, word_a), shared + TileA::kWords + TileB::place(row_b, word_b),
      shared + TileA::fragment(0, warp_row), shared + TileA::kWords + TileB::fragment(0, warp_column)};
  // From row to row of A and B in memory, and from tile to tile of k.
  const unsigned row_words_a = gemm_lda(arguments, kContiguousK ? p.k : p.m) / 2;
  const unsigned row_words_b = gemm_ldb(arguments, kContiguousK ? p.k : p.n) / 2;
  const unsigned tile_words_a = kContiguousK ? kBlockK / 2 : kBlockK * row_words_a;
  const unsigned tile_words_b = kContiguousK ? kBlockK / 2 : kBlockK * row_words_b;
  const float* a =
      p.a + row_a * row_words_a + word_a + (kContiguousK ? block_row * row_words_a : block_row / 2);
  const float* b =
      p.b + row_b * row_words_b + word_b + (kContiguousK ? block_column * row_words_b : block_column / 2);

  unrolled<kRows>([&](auto i) {
    unrolled<kColumns>(
        [&](auto j) { wmma::fill_fragment(FragmentC<decltype(i)::value, decltype(j)::value>{}, Sum{}); });
  });
  unsigned warps;  // of each core
  if constexpr (kAsync) {
    warps = kWarpsM * kWarpsN / simt_cores();
    multiply_tiles_async(p, place, {a, b, row_words_a, row_words_b, tile_words_a, tile_words_b}, warps);
  } else {
    TileA::Moved moved_a;
    TileB::Moved moved_b;
    const float* const first_a = a;
    if (kContiguousK) a += gemm_column_of_a(arguments, 0) / 2;
    TileA::load(moved_a, a, row_words_a);
    TileB::load(moved_b, b, row_words_b);
    TileA::store(moved_a, place.a);
    TileB::store(moved_b, place.b);
    warps = kWarpsM * kWarpsN / simt_cores();
    simt_barrier(0, warps);
    const Slice first = Slice::at<0>(place, 0);
    unrolled<kRows + kColumns>([&](auto i) { load_fragment<0, decltype(i)::value>(first); });

    unsigned buffer = 0;  // of the tile that is multiplied, in words
    for (unsigned k = kBlockK; k < p.k; k += kBlockK) {
      a = next_tile_of_a(a, first_a, tile_words_a, k);
      b += tile_words_b;
      TileA::load(moved_a, a, row_words_a);
      TileB::load(moved_b, b, row_words_b);
      unrolled<kSlices - 1>([&](auto slice) {
        constexpr unsigned now = decltype(slice)::value;
        multiply<now % 2, now + 1, true>(place, buffer);
      });
      buffer = kBufferWords - buffer;
      TileA::store(moved_a, place.a + buffer);
      TileB::store(moved_b, place.b + buffer);
      simt_barrier(0, warps);
      multiply<(kSlices - 1) % 2, 0, true>(place, buffer);
    }
    unrolled<kSlices - 1>([&](auto slice) {
      constexpr unsigned now = decltype(slice)::value;
      multiply<now % 2, now + 1, true>(place, buffer);
    });
    multiply<(kSlices - 1) % 2, 0, false>(place, buffer);
  }

  simt_barrier(0, warps);  // all fragments are loaded: shared memory is free for C
  Sum* const c =
      p.c + (block_row + warp_row * kSlice) * gemm_ldc(arguments, p.n) + block_column + warp_column * kSlice;
  auto* const strip = reinterpret_cast<float*>(PLATFORM_SHARED_BASE) + warp * Strip::kWords;
  unrolled<kRows>([&](auto i) {
    constexpr unsigned row = decltype(i)::value;
    Strip::store<row>(strip);
    simt_fence();
    Strip::move(strip, reinterpret_cast<float*>(c + row * kSlice * gemm_ldc(arguments, p.n)),
                gemm_ldc(arguments, p.n) * sizeof(Sum) / 4, thread % kLanes);
  });
  simt_barrier(0, warps);  // before the next block comes to shared memory
}

void task(unsigned thread, void* argument) {
  const Product& p = *static_cast<const Product*>(argument);
  for (unsigned row = 0; row < p.m; row += kBlockM)
    for (unsigned column = 0; column < p.n; column += kBlockN) block(p, thread, row, column);
}

}  // namespace

GEMM_MAIN(arguments) {
  if (!gemm_sizes_fit(arguments, kBlockM, kBlockN, kBlockK)) return 1;
  Product product = {arguments.m,
                     arguments.n,
                     arguments.k,
                     ARGUMENT_POINTER(float, arguments.a),
                     ARGUMENT_POINTER(float, arguments.b),
                     ARGUMENT_POINTER(Sum, arguments.c)};
  const unsigned begin = simt_cycle();
  if (simt_core() == 0) MARK_BEG();
  spawn_tasks(kThreads, task, &product);
  simt_barrier(0, 1);
  if (simt_core() != 0) return 0;
  MARK_END();
  GEMM_PRINT_CYCLES(simt_cycle() - begin);
  return 0;
}
