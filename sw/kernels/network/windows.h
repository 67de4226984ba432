// SPDX-License-Identifier: Apache-2.0
// Convolutions and pooling: sums and maxima over windows of pictures.
//
// Extents: pictures, groups of channels, channels of a group of the result, its rows and columns, channels of a group of
// x. The strides of x along rows and columns are those of the picture, whatever the distance of the windows is. What a
// window has outside of the picture does not count. Integers: 0 and 1 rows and columns of a window, 2 and 3 from a
// window to the next, 4 and 5 rows above and columns left of the picture, 6 and 7 from an element of a window to the
// next, 8 and 9 rows and columns of a picture.
#pragma once

#include "sw/kernels/network/product.h"

namespace network {

constexpr unsigned kRowOfPicture = 3, kColumnOfPicture = 4;

/// The windows of a launch.
struct Windows {
  unsigned rows, columns, down, across, above, left, apart_down, apart_across, height, width;

  explicit Windows(const NetworkArguments* p) {
    const auto number = [p](unsigned i) NETWORK_BODY { return static_cast<unsigned>(p->integers[i]); };
    rows = number(0);
    columns = number(1);
    down = number(2);
    across = number(3);
    above = number(4);
    left = number(5);
    apart_down = number(6);
    apart_across = number(7);
    height = number(8);
    width = number(9);
  }
};

inline const float kZero = 0;

/// result = f(scale * convolution + bias + residual). Operands: result, x, weights, bias, residual. The dimensions of rows
/// and columns of the result are those of a window in the weights. A lane has the positions that are kLanes apart, and
/// `rows` channels.
template <class T, class F, unsigned rows, unsigned columns>
struct Convolution {
  static constexpr unsigned kWide = columns * kLanes;

  SIMT_INLINE void run(const NetworkArguments* p) {
    const unsigned channels = p->extents[2], width = p->extents[kColumnOfPicture],
                   positions = p->extents[kRowOfPicture] * width, lane = simt_lane();
    const unsigned down = (channels + rows - 1) / rows, across = (positions + kWide - 1) / kWide;
    const unsigned items = p->extents[0] * p->extents[1] * down * across, warps = grid_warps();
    for (unsigned item = grid_warp(); item < items; item += warps) {
      const unsigned strip = item / across, group = strip / down;
      const unsigned channel = (strip - group * down) * rows,
                     position = (item - strip * across) * kWide + lane;
      float sums[columns][rows] = {};
      sum(p, group, channel, position, positions, width, sums);
      NETWORK_UNROLLED
      for (unsigned c = 0; c < columns; ++c) {
        SIMT_IF(position + c * kLanes < positions)
          finish(p, group, channel, position + c * kLanes, width, sums[c]);
        SIMT_END_IF
      }
    }
  }

  SIMT_INLINE void sum(const NetworkArguments* p, unsigned group, unsigned channel, unsigned position,
                       unsigned positions, unsigned width, float (&sums)[columns][rows]) {
    const Windows windows(p);
    unsigned first_row[columns], first_column[columns];  // of a lane's windows; below 0 they are large
    NETWORK_UNROLLED
    for (unsigned c = 0; c < columns; ++c) {
      const unsigned at = position + c * kLanes, row = at / width;
      first_row[c] = row * windows.down - windows.above;
      first_column[c] = (at - row * width) * windows.across - windows.left;
    }
    const uint32_t step = byte_stride<T>(p, 1, kCommon), step_of_weights = byte_stride<T>(p, 2, kCommon);
    for (unsigned i = 0; i < windows.rows; ++i) {
      for (unsigned j = 0; j < windows.columns; ++j) {
        uint32_t x[columns], further[columns], weights[rows];
        NETWORK_UNROLLED
        for (unsigned c = 0; c < columns; ++c) {
          const unsigned row = first_row[c] + i * windows.apart_down,
                         column = first_column[c] + j * windows.apart_across;
          const unsigned is_inside =
              (row < windows.height) & (column < windows.width) & (position + c * kLanes < positions);
          const uint32_t at = picture_at(p, 1, group) + row * byte_stride<T>(p, 1, kRowOfPicture) +
                              column * byte_stride<T>(p, 1, kColumnOfPicture);
          x[c] = simt_select(is_inside, at, reinterpret_cast<uint32_t>(&kZero));
          further[c] = simt_select(is_inside, step, 0);
        }
        NETWORK_UNROLLED
        for (unsigned r = 0; r < rows; ++r) {
          const unsigned of = channel + r < p->extents[2] ? channel + r : p->extents[2] - 1;
          weights[r] = picture_at(p, 2, group) + of * byte_stride<T>(p, 2, 2) +
                       i * byte_stride<T>(p, 2, kRowOfPicture) + j * byte_stride<T>(p, 2, kColumnOfPicture);
        }
        for (unsigned k = p->extents[kCommon]; k != 0; --k) {
          float left[rows], right[columns];
          NETWORK_UNROLLED
          for (unsigned c = 0; c < columns; ++c) {
            right[c] = T::load(x[c]);
            x[c] += further[c];
          }
          NETWORK_UNROLLED
          for (unsigned r = 0; r < rows; ++r) {
            left[r] = T::load(weights[r]);
            weights[r] += step_of_weights;
          }
          NETWORK_UNROLLED
          for (unsigned c = 0; c < columns; ++c) NETWORK_UNROLLED
          for (unsigned r = 0; r < rows; ++r) sums[c][r] = fmaf(left[r], right[c], sums[c][r]);
        }
      }
    }
  }

  /// An operand in that group of channels of all pictures.
  SIMT_INLINE uint32_t picture_at(const NetworkArguments* p, unsigned operand, unsigned group) {
    const unsigned groups = p->extents[1], picture = group / groups;
    return p->address[operand] + picture * byte_stride<T>(p, operand, 0) +
           (group - picture * groups) * byte_stride<T>(p, operand, 1);
  }

  SIMT_INLINE void finish(const NetworkArguments* p, unsigned group, unsigned channel, unsigned position,
                          unsigned width, float (&sums)[rows]) {
    const unsigned row = position / width, column = position - row * width;
    const auto at = [=](unsigned operand) NETWORK_BODY {
      return picture_at(p, operand, group) + channel * byte_stride<T>(p, operand, 2) +
             row * byte_stride<T>(p, operand, kRowOfPicture) +
             column * byte_stride<T>(p, operand, kColumnOfPicture);
    };
    Finish<T, F>::elements(p, p->extents[2] - channel, 2, at, sums);
  }
};

/// Operands: result, x. `F`: a reduction (norms.h). The channels of a group are 1. Integers: 10 and 11 rows and columns up to
/// the end of the padding below and on the right; means divide by the elements of a window before it, and without integer
/// 12 only by those of the picture.
template <class T, class F>
struct Pool {
  SIMT_INLINE void run(const NetworkArguments* p) {
    const unsigned width = p->extents[kColumnOfPicture], positions = p->extents[kRowOfPicture] * width;
    const unsigned lane = simt_lane(), across = (positions + kLanes - 1) / kLanes, warps = grid_warps();
    const unsigned items = p->extents[0] * p->extents[1] * across;
    for (unsigned item = grid_warp(); item < items; item += warps) {
      const unsigned group = item / across, position = (item - group * across) * kLanes + lane;
      SIMT_IF(position < positions)
        const unsigned row = position / width, column = position - row * width;
        using Picture = Convolution<T, Copy, 1, 1>;
        const uint32_t to = Picture::picture_at(p, 0, group) + row * byte_stride<T>(p, 0, kRowOfPicture) +
                            column * byte_stride<T>(p, 0, kColumnOfPicture);
        T::store(to, of(p, Picture::picture_at(p, 1, group), row, column));
      SIMT_END_IF
    }
  }

  SIMT_INLINE float of(const NetworkArguments* p, uint32_t from, unsigned row, unsigned column) {
    const Windows windows(p);
    const uint32_t down = byte_stride<T>(p, 1, kRowOfPicture),
                   across = byte_stride<T>(p, 1, kColumnOfPicture);
    const unsigned first_row = row * windows.down - windows.above,
                   first_column = column * windows.across - windows.left;
    float result = F::template kStart<float>, count = 0;
    for (unsigned i = 0; i < windows.rows; ++i) {
      for (unsigned j = 0; j < windows.columns; ++j) {
        const unsigned y = first_row + i * windows.apart_down, x = first_column + j * windows.apart_across;
        const unsigned is_inside = (y < windows.height) & (x < windows.width);
        const uint32_t at = simt_select(is_inside, from + y * down + x * across, from);
        const float next = F::add(result, T::load(at));
        result = float_select(float_mask(is_inside), next, result);
        const unsigned is_padded = (static_cast<int32_t>(y) < p->integers[10]) &
                                   (static_cast<int32_t>(x) < p->integers[11]) & (p->integers[12] != 0);
        count += number(is_inside | is_padded);
      }
    }
    return F::finish(result, count);
  }
};

}  // namespace network
