// SPDX-License-Identifier: Apache-2.0
// Products by tensor cores of fragments in registers (wmma.h), of 16-bit elements with sums in FP32: a work group for a tile
// of C at a time.
//
// While the warps multiply the rows of k of one buffer in shared memory, the words of the next rows are on their way to
// registers of all threads; while a warp multiplies a slice of 16 of k, it loads the fragments of the next slice. A word has
// two elements that are neighbours in memory: A is row-major, B is row-major or, `turns_b`, column-major. Rows and columns
// behind the last ones are read up to a whole tile; sums of them are not stored. The common dimension is a multiple of 32.
#pragma once

#include <wmma.h>

#include <type_traits>

#include "sw/kernels/gemm_common/unrolled.h"
#include "sw/kernels/network/product.h"

namespace network {

/// The formats that tensor cores multiply.
template <class T>
struct TensorElement;
template <>
struct TensorElement<Fp16> {
  using Type = wmma::half;
};

/// Rows of A or columns of B of a tile, for kDepth of k: how they lie in shared memory, and which words a thread moves.
/// Row r of the tile in memory is r of k, or with `is_along_k` of `extent`.
template <unsigned extent, bool is_along_k, unsigned threads>
struct TensorTile {
  static constexpr unsigned kDepth = 32, kSlice = 16;
  static constexpr unsigned kMemoryRows = is_along_k ? extent : kDepth;
  static constexpr unsigned kRowWords = (is_along_k ? kDepth : extent) / 2;
  static constexpr unsigned kWordsOfThread = kMemoryRows * kRowWords / threads;
  static constexpr unsigned kRowStep = is_along_k ? 1 : threads / kRowWords;
  // Squares of 16 x 16, or rows; the next one is in other banks.
  static constexpr unsigned kSquareWords = kSlice * kSlice / 2 + 8;
  static constexpr unsigned kStrideWords = is_along_k ? kRowWords + 4 : kSlice / 2;
  static constexpr unsigned kWords =
      is_along_k ? kMemoryRows * kStrideWords : kDepth / kSlice * (extent / kSlice) * kSquareWords;

  static constexpr unsigned place(unsigned row, unsigned word) {
    if (is_along_k) return row * kStrideWords + word;
    const unsigned square = row / kSlice * (extent / kSlice) + word / (kSlice / 2);
    return square * kSquareWords + row % kSlice * (kSlice / 2) + word % (kSlice / 2);
  }
  static constexpr unsigned first_row(unsigned thread) {
    return thread / kRowWords * (is_along_k ? kWordsOfThread : 1);
  }
  static constexpr unsigned first_word(unsigned thread) { return thread % kRowWords; }
  static constexpr unsigned fragment(unsigned slice, unsigned index) {
    return is_along_k ? place(index * kSlice, slice * kSlice / 2) : place(slice * kSlice, index * kSlice / 2);
  }

  struct Moved {
    float words[kWordsOfThread];
  };
  SIMT_INLINE void load(Moved& moved, uint32_t from, uint32_t row_bytes) {
    const uint32_t step = simt_opaque(row_bytes * kRowStep);
    unrolled<kWordsOfThread>([&](auto i) NETWORK_BODY {
      moved.words[decltype(i)::value] = *reinterpret_cast<const float*>(from);
      from = simt_opaque(from + step);
    });
  }
  SIMT_INLINE void store(const Moved& moved, uint32_t to) {
    constexpr unsigned kAtOnce = is_along_k ? kWordsOfThread : kSlice / kRowStep;
    unrolled<kWordsOfThread / kAtOnce>([&](auto part) NETWORK_BODY {
      constexpr unsigned first = decltype(part)::value * kAtOnce, base = place(first * kRowStep, 0);
      auto* const at = reinterpret_cast<float*>(simt_opaque(to + base * 4));
      unrolled<kAtOnce>([&](auto i) NETWORK_BODY {
        constexpr unsigned word = first + decltype(i)::value;
        at[place(word * kRowStep, 0) - base] = moved.words[word];
      });
    });
  }
};

/// `rows`: fragments of C of a warp below each other; it has two side by side. 4: a tile of 128 x 128 by 8 warps, 2: one of
/// 64 x 64 by 4 warps.
template <class T, class F, bool turns_b, unsigned rows>
struct FragmentProduct {
  static constexpr unsigned kColumns = 2, kWarpsDown = 2, kWarpsAcross = rows == 4 ? 4 : 2;
  static constexpr unsigned kSlice = 16, kDown = kWarpsDown * rows * kSlice,
                            kAcross = kWarpsAcross * kColumns * kSlice;
  static constexpr unsigned kThreadsOfTile = kWarpsDown * kWarpsAcross * 32;
  using TileA = TensorTile<kDown, true, kThreadsOfTile>;
  using TileB = TensorTile<kAcross, turns_b, kThreadsOfTile>;
  static constexpr unsigned kDepth = TileA::kDepth, kBufferBytes = (TileA::kWords + TileB::kWords) * 4;
  // On its way out a warp's row of fragments of C is in a strip of shared memory.
  static constexpr unsigned kStripStride = kColumns * kSlice + 4, kStripBytes = kSlice * kStripStride * 4;
  static constexpr unsigned kSharedBytes = 2 * kBufferBytes;
  static_assert(kStripBytes * kThreadsOfTile / 32 <= kSharedBytes, "C takes the room of A and B");

  using Element = typename TensorElement<T>::Type;
  template <unsigned row, unsigned column>
  using FragmentC = wmma::fragment<row * kColumns + column, wmma::accumulator, 16, 16, 16, float>;
  template <unsigned set, unsigned row>
  using FragmentA = wmma::fragment<rows * kColumns + set*(rows + kColumns) + row, wmma::matrix_a, 16, 16, 16,
                                   Element, wmma::row_major>;
  using LayoutB = std::conditional_t<turns_b, wmma::col_major, wmma::row_major>;
  template <unsigned set, unsigned column>
  using FragmentB = wmma::fragment<rows * kColumns + set*(rows + kColumns) + rows + column, wmma::matrix_b,
                                   16, 16, 16, Element, LayoutB>;

  /// Fragments of a slice that begin at these addresses.
  struct Slice {
    uint32_t a, b;
  };
  /// Fragment `index` of a slice: those of A, then those of B.
  template <unsigned set, unsigned index>
  SIMT_INLINE void load_fragment(const Slice& slice) {
    using Storage = const wmma::storage_of<Element>;
    if constexpr (index < rows) {
      wmma::load_matrix_sync(FragmentA<set, index>{},
                             reinterpret_cast<Storage*>(slice.a + TileA::fragment(0, index) * 4),
                             2 * TileA::kStrideWords);
    } else {
      constexpr unsigned column = index - rows;
      wmma::load_matrix_sync(FragmentB<set, column>{},
                             reinterpret_cast<Storage*>(slice.b + TileB::fragment(0, column) * 4),
                             2 * TileB::kStrideWords);
    }
  }
  template <unsigned set>
  SIMT_INLINE void load_fragments(const Slice& slice) {
    unrolled<rows + kColumns>([slice](auto i)
                                  NETWORK_BODY { load_fragment<set, decltype(i)::value>(slice); });
  }
  /// Multiplies with one set of fragments, and loads a slice into the other in between.
  template <unsigned set, bool loads>
  SIMT_INLINE void multiply(const Slice& next) {
    unrolled<rows * kColumns>([&](auto i) NETWORK_BODY {
      constexpr unsigned product = decltype(i)::value, row = product / kColumns, column = product % kColumns;
      constexpr unsigned kEvery = (rows + kColumns + rows * kColumns - 1) / (rows * kColumns);
      if constexpr (loads)
        unrolled<kEvery>([&](auto j) NETWORK_BODY {
          constexpr unsigned index = product * kEvery + decltype(j)::value;
          if constexpr (index < rows + kColumns) load_fragment<1 - set, index>(next);
        });
      wmma::mma_sync(FragmentC<row, column>{}, FragmentA<set, row>{}, FragmentB<set, column>{},
                     FragmentC<row, column>{});
    });
  }
  SIMT_INLINE Slice slice_at(uint32_t a, uint32_t b, unsigned slice) {
    return {simt_opaque(a + TileA::fragment(slice, 0) * 4), simt_opaque(b + TileB::fragment(slice, 0) * 4)};
  }

  SIMT_INLINE void run(const NetworkArguments* p) {
    const unsigned down = (p->extents[kRowsOfC] + kDown - 1) / kDown,
                   across = (p->extents[kColumnsOfC] + kAcross - 1) / kAcross;
    const unsigned tiles = batch_of(p) * down * across;
    for (unsigned tile = spica::block_index().x; tile < tiles; tile += spica::grid_extent().x) {
      const unsigned strip = tile / across, product = strip / down;
      const unsigned row = (strip - product * down) * kDown, column = (tile - strip * across) * kAcross;
      sum(p, product, row, column);
      finish(p, product, row, column);
    }
  }

  SIMT_INLINE void sum(const NetworkArguments* p, unsigned product, unsigned row, unsigned column) {
    const unsigned thread = spica::group_thread(), warp = thread / 32;
    const uint32_t shared = spica::detail::group_shared();
    const uint32_t row_bytes_a = byte_stride<T>(p, 1, kRowsOfC),
                   row_bytes_b = byte_stride<T>(p, 2, turns_b ? kColumnsOfC : kCommon);
    uint32_t a = matrix_at<T>(p, 1, product) + (row + TileA::first_row(thread)) * row_bytes_a +
                 TileA::first_word(thread) * 4;
    uint32_t b = matrix_at<T>(p, 2, product) + TileB::first_row(thread) * row_bytes_b +
                 TileB::first_word(thread) * 4 + (turns_b ? column * row_bytes_b : column * T::kBytes);
    const uint32_t further_b = turns_b ? kDepth * T::kBytes : kDepth * row_bytes_b;
    const uint32_t to_a = shared + TileA::place(TileA::first_row(thread), TileA::first_word(thread)) * 4,
                   to_b = shared + TileA::kWords * 4 +
                          TileB::place(TileB::first_row(thread), TileB::first_word(thread)) * 4;
    const uint32_t from_a = shared + TileA::fragment(0, warp / kWarpsAcross * rows) * 4,
                   from_b =
                       shared + TileA::kWords * 4 + TileB::fragment(0, warp % kWarpsAcross * kColumns) * 4;
    unrolled<rows>([](auto i) NETWORK_BODY {
      unrolled<kColumns>([](auto j) NETWORK_BODY {
        wmma::fill_fragment(FragmentC<decltype(i)::value, decltype(j)::value>{}, 0.0f);
      });
    });
    typename TileA::Moved moved_a;
    typename TileB::Moved moved_b;
    TileA::load(moved_a, a, row_bytes_a);
    TileB::load(moved_b, b, row_bytes_b);
    TileA::store(moved_a, to_a);
    TileB::store(moved_b, to_b);
    spica::group_barrier();
    load_fragments<0>(slice_at(from_a, from_b, 0));
    uint32_t buffer = 0;
    for (unsigned left = p->extents[kCommon] - kDepth; left != 0; left -= kDepth) {
      a += kDepth * T::kBytes;
      b += further_b;
      TileA::load(moved_a, a, row_bytes_a);
      TileB::load(moved_b, b, row_bytes_b);
      multiply<0, true>(slice_at(from_a + buffer, from_b + buffer, 1));
      buffer = kBufferBytes - buffer;
      TileA::store(moved_a, to_a + buffer);
      TileB::store(moved_b, to_b + buffer);
      spica::group_barrier();
      multiply<1, true>(slice_at(from_a + buffer, from_b + buffer, 0));
    }
    multiply<0, true>(slice_at(from_a + buffer, from_b + buffer, 1));
    multiply<1, false>({});
  }

  SIMT_INLINE void finish(const NetworkArguments* p, unsigned product, unsigned first_row,
                          unsigned first_column) {
    spica::group_barrier();  // all fragments are loaded
    const unsigned thread = spica::group_thread(), warp = thread / 32, lane = simt_lane();
    auto* const strip = reinterpret_cast<float*>(spica::detail::group_shared() + warp * kStripBytes);
    const unsigned row = first_row + warp / kWarpsAcross * rows * kSlice,
                   column = first_column + warp % kWarpsAcross * kColumns * kSlice + lane;
    unrolled<rows>([&](auto i) NETWORK_BODY {
      unrolled<kColumns>([&](auto j) NETWORK_BODY {
        wmma::store_matrix_sync(strip + decltype(j)::value * kSlice,
                                FragmentC<decltype(i)::value, decltype(j)::value>{}, kStripStride,
                                wmma::mem_row_major);
      });
      simt_fence();
      finish_rows(p, product, row + decltype(i)::value * kSlice, column, strip + lane);
    });
    spica::group_barrier();  // before the next tile comes to shared memory
  }

  /// A lane has a column of a row of fragments, four rows at a time.
  SIMT_INLINE void finish_rows(const NetworkArguments* p, unsigned product, unsigned row, unsigned column,
                               const float* strip) {
    SIMT_IF(column < p->extents[kColumnsOfC])
      for (unsigned i = 0; i < kSlice && row + i < p->extents[kRowsOfC]; i += 4) {
        // Nothing is kept from row to row: it would be on the stack.
        const auto* const from = reinterpret_cast<const volatile float*>(
            simt_opaque(reinterpret_cast<uint32_t>(strip + i * kStripStride)));
        float sums[4];
        NETWORK_UNROLLED
        for (unsigned e = 0; e < 4; ++e) sums[e] = from[e * kStripStride];
        Finish<T, F>::column(
            reinterpret_cast<const NetworkArguments*>(simt_opaque(reinterpret_cast<uint32_t>(p))), product,
            simt_opaque(row + i), simt_opaque(column), sums);
      }
    SIMT_END_IF
  }
};

}  // namespace network
