// SPDX-License-Identifier: Apache-2.0
// Products on the matrix unit, one work group for each cluster, tile by tile of C.
//
// The first warp drives DMA and unit with one lane. The DMA loads the tiles of the next step along the common dimension
// while the unit multiplies. It stores a finished tile into a buffer in memory, from which the other warps finish it
// while the unit continues with the next tile. What the DMA cannot load (an operand with other strides or formats, the
// last step where the common dimension is not a multiple of a tile) the other warps copy, filled up with zeros.
//
// Rows and columns of A and B behind the last ones are read up to a whole tile; sums of them are not stored.
//
// The unit stores sums in the format of its elements. Of 16 bits, they are rounded before bias, residual and function.
#pragma once

// An assertion that fails is a call, and what a loop has in registers would be saved on the stack for it.
#define NDEBUG
#include <spica/matrix.h>
#undef NDEBUG

#include <type_traits>

#include "sw/kernels/network/windows.h"

namespace network {

template <class F>
constexpr bool kIsCopy = false;
template <>
inline constexpr bool kIsCopy<Copy> = true;

#ifndef NETWORK_UNIT_FORMAT
#define NETWORK_UNIT_FORMAT FP32
#endif
#ifndef NETWORK_UNIT_NUMBER
#define NETWORK_UNIT_NUMBER 0
#endif
BUILT_FOR("matrix_unit.number", NETWORK_UNIT_NUMBER);
namespace unit_formats {
using FP32 = Fp32;
using FP16 = Fp16;
using BF16 = Bf16;
}  // namespace unit_formats
/// The elements of the unit; words hold them.
using UnitFormat = unit_formats::NETWORK_UNIT_FORMAT;
using UnitWord = UnitFormat::Word;

constexpr unsigned kTile = 64;  // rows, columns and common elements of a tile
constexpr unsigned kUnitWarps = 32, kMostGroups = 64;
inline UnitWord finished_tiles[kMostGroups][2][kTile * kTile] __attribute__((aligned(64)));

using UnitTile = spica::Tile<UnitWord, kTile, kTile>;
struct UnitTiles {
  UnitTile a[2], b[2];
};

/// Where B comes from: a matrix whose columns are neighbours; one whose elements along the common dimension are, which
/// the DMA transposes; or windows of pictures (UnitConvolution).
enum class SourceOfB : uint8_t { kMatrix, kTurnedMatrix, kWindows };

/// Convolutions as products: the rows of C are the channels of a group of the result, its columns are the positions of
/// all rows of a picture, and the common dimension are the rows and the columns of a window, for each of
/// them the channels of a group of x. The batch has pictures and groups. The strides of x along the last three dimensions are those of
/// its rows, its columns and its channels. Integers: as in windows.h, 10: columns of the result, 11: channels of a group of x.
template <class T, class F, SourceOfB source>
struct UnitProduct {
  static constexpr bool turns_b = source == SourceOfB::kTurnedMatrix;
  static constexpr unsigned kAtOnce =
      8;  // rows of a block of a tile, or a part of them, that a copy loads before it stores
  static constexpr bool kSameFormat = std::is_same_v<T, UnitFormat>;
  // What copies load and store: 16 bits as they are, where nothing is converted.
  static constexpr bool kMovesBits = kSameFormat && T::kBytes == sizeof(uint16_t);
  using From = std::conditional_t<kMovesBits, Raw<uint16_t>, T>;
  using To = std::conditional_t<kMovesBits, Raw<uint16_t>, UnitFormat>;

  /// Tiles of this work group, one after the other, and in each the steps along the common dimension.
  class Steps {
   public:
    unsigned product = 0, row = 0, column = 0, k = 0;  // where the tile begins, and the step

    explicit Steps(const NetworkArguments* p) : tile_(spica::block_index().x) {
      constexpr unsigned kAlongB = turns_b ? kCommon : kColumnsOfC;
      is_a_loaded_ = kSameFormat && p->strides[1][kCommon] == 1 && begins_at_words(p, 1, kCommon);
      is_loaded_ = is_a_loaded_ && source != SourceOfB::kWindows && p->strides[2][kAlongB] == 1 &&
                   begins_at_words(p, 2, kAlongB);
      is_plain_ = kSameFormat && kIsCopy<F> && p->address[3] == 0 && p->address[4] == 0 &&
                  p->scalars[0] == 1.0f && p->strides[0][kColumnsOfC] == 1 &&
                  begins_at_words(p, 0, kColumnsOfC);
      find(p);
    }
    /// Another place: what does not change from step to step is that of `any`.
    NETWORK_BODY Steps(const NetworkArguments* p, const Steps& any, unsigned tile, unsigned along_k)
        : Steps(any) {
      tile_ = tile;
      k = along_k;
      find(p);
    }
    NETWORK_BODY bool is_end() const { return is_end_; }
    NETWORK_BODY bool is_last(const NetworkArguments* p) const { return k + kTile >= p->extents[kCommon]; }
    /// Whether the other warps copy B, or both operands.
    NETWORK_BODY bool copies(const NetworkArguments* p) const {
      return !is_loaded_ || k + kTile > p->extents[kCommon];
    }
    NETWORK_BODY bool copies_a(const NetworkArguments* p) const {
      return !is_a_loaded_ || k + kTile > p->extents[kCommon];
    }
    /// Whether the DMA stores the tile of C into its place.
    NETWORK_BODY bool is_stored(const NetworkArguments* p) const {
      return is_plain_ && row + kTile <= p->extents[kRowsOfC] && column + kTile <= p->extents[kColumnsOfC];
    }
    /// Whether a new tile begins.
    NETWORK_BODY bool next(const NetworkArguments* p) {
      k += kTile;
      if (k < p->extents[kCommon]) return false;
      k = 0;
      tile_ += spica::grid_extent().x;
      find(p);
      return true;
    }

   private:
    /// Whether all rows along a dimension do: the DMA moves words.
    static NETWORK_BODY bool begins_at_words(const NetworkArguments* p, unsigned operand, unsigned along) {
      if constexpr (T::kBytes % sizeof(uint32_t) == 0) return true;
      uint32_t all = p->address[operand];
      for (unsigned d = 0; d < kRank; ++d)
        if (d != along) all |= byte_stride<T>(p, operand, d);
      return all % sizeof(uint32_t) == 0;
    }
    NETWORK_BODY void find(const NetworkArguments* p) {
      const unsigned down = (p->extents[kRowsOfC] + kTile - 1) / kTile,
                     across = (p->extents[kColumnsOfC] + kTile - 1) / kTile, strip = tile_ / across;
      product = strip / down;
      row = (strip - product * down) * kTile;
      column = (tile_ - strip * across) * kTile;
      is_end_ = product >= batch_of(p);
    }
    unsigned tile_;
    bool is_loaded_, is_a_loaded_, is_plain_, is_end_ = false;
  };

  SIMT_INLINE void run(const NetworkArguments* p) {
    if (spica::group_rank() == 0) {
      simt_tmc(1);
      drive(p);
    } else {
      work(p);
    }
  }

  SIMT_INLINE uint32_t element(const NetworkArguments* p, unsigned operand, unsigned product, unsigned i,
                               unsigned j, unsigned down, unsigned across) {
    return matrix_at<T>(p, operand, product) + i * byte_stride<T>(p, operand, down) +
           j * byte_stride<T>(p, operand, across);
  }

  SIMT_INLINE void drive(const NetworkArguments* p) {
    auto& tiles = *spica::group_shared<UnitTiles>();
    UnitWord* finished = finished_tiles[spica::block_index().x][0];
    const unsigned lda = static_cast<unsigned>(p->strides[1][kRowsOfC]),
                   ldb = static_cast<unsigned>(p->strides[2][turns_b ? kColumnsOfC : kCommon]),
                   ldc = static_cast<unsigned>(p->strides[0][kRowsOfC]);
    constexpr unsigned kFurtherA = kTile * sizeof(UnitWord);
    const unsigned further_b = kTile * byte_stride<UnitFormat>(p, 2, kCommon);
    spica::MatrixUnit<NETWORK_UNIT_NUMBER> unit;
    spica::Accumulator<UnitWord, kTile, kTile> sums;
    const auto load = [&](unsigned number, uint32_t a, uint32_t b) NETWORK_BODY {
      const spica::Matrix<const UnitWord> from_a{reinterpret_cast<const UnitWord*>(a), lda},
          from_b{reinterpret_cast<const UnitWord*>(b), ldb};
      if constexpr (turns_b)
        (void)unit.load(tiles.a[number], from_a, tiles.b[number], spica::transposed(from_b));
      else (void)unit.load(tiles.a[number], from_a, tiles.b[number], from_b);
    };

    const auto load_a = [&](unsigned number, uint32_t a) NETWORK_BODY {
      (void)unit.load(tiles.a[number],
                      spica::Matrix<const UnitWord>{reinterpret_cast<const UnitWord*>(a), lda});
    };

    Steps next(p);
    if (next.is_end()) return;
    bool is_unfinished = false, copies = next.copies(p);
    uint32_t a = element(p, 1, next.product, next.row, 0, kRowsOfC, kCommon),
             b = element(p, 2, next.product, 0, next.column, kCommon, kColumnsOfC);
    if (copies) spica::group_barrier();
    if (!copies) load(0, a, b);
    else if (!next.copies_a(p)) load_a(0, a);
    for (unsigned odd = 0;;) {
      // What the step at hand needs, and where the next one is, before the wait.
      const bool is_copied = copies, is_last = next.is_last(p), is_stored = next.is_stored(p);
      UnitWord* c = finished;
      if (is_last && is_stored)
        c = reinterpret_cast<UnitWord*>(
            element(p, 0, next.product, next.row, next.column, kRowsOfC, kColumnsOfC));
      if (next.next(p) && !next.is_end()) {
        a = element(p, 1, next.product, next.row, 0, kRowsOfC, kCommon);
        b = element(p, 2, next.product, 0, next.column, kCommon, kColumnsOfC);
      } else {
        a += kFurtherA;
        b += further_b;
      }
      const bool is_end = next.is_end();
      copies = next.copies(p);
      if (is_unfinished) {
        unit.wait();
        spica::group_barrier();
        is_unfinished = false;
      }
      if (is_copied) spica::group_barrier();
      (void)unit.mma(sums, tiles.a[odd], tiles.b[odd], {});
      odd ^= 1;
      if (!is_end) {
        if (copies) spica::group_barrier();  // the buffer is free
        if (!copies) load(odd, a, b);
        else if (!next.copies_a(p)) load_a(odd, a);
      }
      if (is_last) {
        (void)unit.store(spica::Matrix<UnitWord>{c, is_stored ? ldc : kTile}, sums);
        if (!is_stored) {
          is_unfinished = true;
          finished =
              finished_tiles[spica::block_index().x][finished == finished_tiles[spica::block_index().x][0]];
        }
      }
      if (is_end) break;
    }
    unit.wait();
    if (is_unfinished) spica::group_barrier();
  }

  /// Few values outlive a copy, because each is spilled: where a step is follows from `tile` and `k`.
  SIMT_INLINE void work(const NetworkArguments* p) {
    unsigned tile = simt_opaque(spica::block_index().x), k = 0, odd = 0, odd_tile = 0, is_unfinished = 0;
    const Steps first(p);
    for (;;) {
      const unsigned copies = copy_step(again(p), first, tile, k, odd);
      if (is_unfinished) spica::group_barrier();
      if (copies) spica::group_barrier();
      p = again(p);
      if (is_unfinished) {
        const Steps before(p, first, tile - spica::grid_extent().x, 0);
        finish(p, before.product, before.row, before.column,
               finished_tiles[spica::block_index().x][odd_tile]);
        odd_tile ^= 1;
      }
      p = again(p);
      const Steps step(p, first, tile, k);
      if (step.is_end()) break;
      is_unfinished = step.is_last(p) && !step.is_stored(p);
      odd ^= 1;
      k += kTile;
      if (k < p->extents[kCommon]) continue;
      k = 0;
      tile += spica::grid_extent().x;
    }
  }

  /// Whether there was anything to copy.
  SIMT_INLINE unsigned copy_step(const NetworkArguments* p, const Steps& first, unsigned tile, unsigned k,
                                 unsigned odd) {
    const Steps step(p, first, tile, k);
    if (step.is_end() || !step.copies(p)) return 0;
    spica::group_barrier();
    auto& tiles = *spica::group_shared<UnitTiles>();
    if (step.copies_a(p)) copy(again(p), 1, tiles.a[odd], step.product, step.row, k, kRowsOfC, kCommon);
    if constexpr (source == SourceOfB::kWindows)
      copy_windows(again(p), tiles.b[odd], step.product, k, step.column);
    else copy(again(p), 2, tiles.b[odd], step.product, k, step.column, kCommon, kColumnsOfC);
    return 1;
  }

  /// The part of an operand from row i and column j on; elements outside of it are 0.
  SIMT_INLINE void copy(const NetworkArguments* p, unsigned operand, UnitTile& to, unsigned product,
                        unsigned i, unsigned j, unsigned down, unsigned across) {
    const unsigned rows = p->extents[down], columns = p->extents[across];
    const uint32_t step_down = byte_stride<T>(p, operand, down),
                   step_across = byte_stride<T>(p, operand, across);
    const uint32_t from = matrix_at<T>(p, operand, product) + i * step_down + j * step_across;
    const unsigned thread = (spica::group_rank() - 1) * kLanes + simt_lane();
    constexpr unsigned kWorkers = (kUnitWarps - 1) * kLanes;
    for (unsigned first = 0; first < kTile * kTile; first += kWorkers) {
      const unsigned at = first + thread;
      SIMT_IF(at < kTile * kTile)
        const unsigned row = UnitTile::row_of(at), column = UnitTile::column_of(at);
        float x = 0;
        SIMT_IF((i + row < rows) & (j + column < columns))
          x = From::load(from + row * step_down + column * step_across);
        SIMT_END_IF
        To::store(reinterpret_cast<uint32_t>(to.elements + at), x);
      SIMT_END_IF
    }
  }

  /// Where the elements of the window of a position are, place by place of the window and channel by channel.
  class Window {
   public:
    /// Channels at one place.
    struct Run {
      uint32_t from, step;
    };

    NETWORK_BODY Window(const NetworkArguments* p, unsigned product, unsigned element, unsigned position) {
      const unsigned place = element / channels(p), i = place / Windows(p).columns,
                     j = place - i * Windows(p).columns;
      channel_ = element - place * channels(p);
      columns_left_ = Windows(p).columns - j;
      rows_left_ = i < Windows(p).rows ? Windows(p).rows - i : 0;
      p = again(p, columns_left_ + rows_left_);
      const unsigned row = position / width_of_result(p);
      y_ = row * Windows(p).down - Windows(p).above + i * Windows(p).apart_down;
      p = again(p, y_);
      x_ = (position - row * width_of_result(p)) * Windows(p).across - Windows(p).left +
           j * Windows(p).apart_across;
      p = again(p, x_);
      // Windows behind the last one are far outside of the picture.
      y_ = simt_select(position < p->extents[kColumnsOfC], y_, 0x80000000u);
      place_ = matrix_at<T>(p, 2, product) + y_ * byte_stride<T>(p, 2, kRowsOfC) +
               x_ * byte_stride<T>(p, 2, kColumnsOfC);
      find_row(p);
    }
    /// The next elements, `count` or as many as are at one place. Outside of the picture and behind the window they are 0.
    NETWORK_BODY Run run(const NetworkArguments* p, unsigned& count) {
      if (rows_left_ == 0) return {reinterpret_cast<uint32_t>(&kZero), 0};
      const uint32_t step = byte_stride<T>(p, 2, kCommon), from = place_ + channel_ * step;
      const unsigned left = channels(p) - channel_, is_inside = x_ < width_;
      channel_ += count;
      if (count >= left) {
        count = left;
        channel_ = 0;
        next_place(p);
      }
      return {simt_select(is_inside, from, reinterpret_cast<uint32_t>(&kZero)),
              simt_select(is_inside, step, 0)};
    }

   private:
    static NETWORK_BODY unsigned channels(const NetworkArguments* p) {
      return static_cast<unsigned>(p->integers[11]);
    }
    static NETWORK_BODY unsigned width_of_result(const NetworkArguments* p) {
      return static_cast<unsigned>(p->integers[10]);
    }
    NETWORK_BODY void next_place(const NetworkArguments* p) {
      const unsigned apart = Windows(p).apart_across;
      const uint32_t across = apart * byte_stride<T>(p, 2, kColumnsOfC);
      x_ += apart;
      place_ += across;
      if (--columns_left_ != 0) return;
      p = again(p, place_);
      columns_left_ = Windows(p).columns;
      x_ -= columns_left_ * Windows(p).apart_across;
      y_ += Windows(p).apart_down;
      place_ += Windows(p).apart_down * byte_stride<T>(p, 2, kRowsOfC) - columns_left_ * across;
      --rows_left_;
      find_row(p);
    }
    /// A row outside of the picture has no columns.
    NETWORK_BODY void find_row(const NetworkArguments* p) {
      width_ = Windows(p).width & simt_hide(-static_cast<uint32_t>(y_ < Windows(p).height));
    }
    unsigned x_, y_, width_;  // of the place; x and y below 0 are large
    unsigned columns_left_, rows_left_, channel_;
    uint32_t place_;  // its first channel
  };

  /// The part of the windows from element `first` of the common dimension and the position `column` on. A warp has some
  /// neighbouring positions, for which it copies kEach elements: runs of channels, of which all are in the picture or none. What
  /// it needs once a run is not kept in registers.
  SIMT_INLINE void copy_windows(const NetworkArguments* p, UnitTile& to, unsigned product, unsigned first,
                                unsigned column) {
    constexpr unsigned kStrips = kTile / kLanes,
                       kApart = (kUnitWarps - 1) / kStrips,  // the rest of the warps is idle
        kEach = (kTile / kApart + kAtOnce - 1) / kAtOnce * kAtOnce;
    const unsigned part = simt_opaque(spica::group_rank()) - 1;
    if (part >= kStrips * kApart) return;
    const unsigned in_tile = part % kStrips * kLanes + simt_opaque(simt_lane());
    unsigned k = part / kStrips * kEach;
    const unsigned end = k + kEach < kTile ? k + kEach : kTile;
    uint32_t slot = reinterpret_cast<uint32_t>(&to(k, in_tile));
    Window window(p, product, first + k, column + in_tile);
    while (k < end) {
      unsigned count = end - k;
      const typename Window::Run run = window.run(again(p, slot), count);
      copy_run(run, slot, k, count);
      k += count;
    }
  }

  /// Elements of one place of the windows into rows of a tile, from `k` on, the first of which is at `slot`.
  SIMT_INLINE void copy_run(const typename Window::Run& run, uint32_t& slot, unsigned k, unsigned count) {
    constexpr unsigned kRow = UnitTile::kDim * sizeof(UnitWord),
                       kToNextBlock = (kTile - UnitTile::kDim) * kRow;
    const unsigned end = k + count;
    uint32_t from = run.from;
    while (k % kAtOnce == 0 && end - k >= kAtOnce) {
      typename From::Value x[kAtOnce];
      NETWORK_UNROLLED
      for (unsigned i = 0; i < kAtOnce; ++i, from += run.step) x[i] = From::load(from);
      NETWORK_UNROLLED
      for (unsigned i = 0; i < kAtOnce; ++i) To::store(slot + i * kRow, x[i]);
      k += kAtOnce;
      slot += kAtOnce * kRow + (k % UnitTile::kDim == 0 ? kToNextBlock : 0);
    }
    if (k == end) return;
    const auto store = [&](typename From::Value x) NETWORK_BODY {
      To::store(slot, x);
      slot += kRow;
      if (++k % UnitTile::kDim == 0) slot += kToNextBlock;
    };
    auto x = From::load(from);
    while (k + 1 != end) {  // an element is stored while the next one is loaded
      from += run.step;
      const auto y = From::load(from);
      store(x);
      x = y;
    }
    store(x);
  }

  /// The arguments, of which nothing is in registers until a value has been computed: a register that is spilled costs a
  /// request for each lane.
  SIMT_INLINE const NetworkArguments* again(const NetworkArguments* p) {
    __asm__ volatile("" : "+r"(p));
    return p;
  }
  SIMT_INLINE const NetworkArguments* again(const NetworkArguments* p, unsigned value) {
    __asm__ volatile("" : "+r"(p) : "r"(value));
    return p;
  }

  SIMT_INLINE void finish(const NetworkArguments* p, unsigned product, unsigned first_row,
                          unsigned first_column, const UnitWord* from) {
    constexpr unsigned kDown = kTile / 4, kAcross = kTile / kLanes;
    const unsigned m = p->extents[kRowsOfC] - first_row, n = p->extents[kColumnsOfC] - first_column;
    uint32_t first[5];  // of the result, the bias and the residual
    NETWORK_UNROLLED
    for (unsigned operand = 0; operand < 5; ++operand)
      if (operand == 0 || (operand > 2 && p->address[operand] != 0))
        first[operand] = element(p, operand, product, first_row, first_column, kRowsOfC, kColumnsOfC);
    for (unsigned item = simt_opaque(spica::group_rank()) - 1; item < kDown * kAcross;
         item += kUnitWarps - 1) {
      const unsigned row = item / kAcross * 4, column = item % kAcross * kLanes + simt_lane();
      if (row >= m) break;
      const uint32_t at = simt_opaque(reinterpret_cast<uint32_t>(from + row * kTile + column));
      float sums[4];
      NETWORK_UNROLLED
      for (unsigned i = 0; i < 4; ++i) sums[i] = UnitFormat::load(at + i * kTile * UnitFormat::kBytes);
      const auto of = [=](unsigned operand) NETWORK_BODY {
        return first[operand] + row * byte_stride<T>(p, operand, kRowsOfC) +
               column * byte_stride<T>(p, operand, kColumnsOfC);
      };
      SIMT_IF(column < n)
        Finish<T, F>::elements(p, m - row, kRowsOfC, of, sums);
      SIMT_END_IF
    }
  }
};

}  // namespace network
