// SPDX-License-Identifier: Apache-2.0
// Products C = f(scale * A B + bias) + residual of strided matrices.
//
// Extents: three of a batch, rows of C, columns of C, the common dimension. Operands: C, A, B, bias, residual, with
// strides along these six dimensions; those of C, bias and residual along the common dimension do not count. A missing
// bias or residual has the address 0. Scalars: 0 scale.
#pragma once

#include "sw/kernels/network/elements.h"

namespace network {

constexpr unsigned kRowsOfC = 3, kColumnsOfC = 4, kCommon = 5;

/// Products of a batch.
SIMT_INLINE unsigned batch_of(const NetworkArguments* p) {
  return p->extents[0] * p->extents[1] * p->extents[2];
}
/// The address of an operand in product `number` of the batch.
template <class T>
SIMT_INLINE uint32_t matrix_at(const NetworkArguments* p, unsigned operand, unsigned number) {
  uint32_t offset = 0;
  for (unsigned d = kRowsOfC; number != 0;) {
    --d;
    const unsigned extent = p->extents[d], rest = number / extent;
    offset += static_cast<uint32_t>(p->strides[operand][d]) * (number - rest * extent);
    number = rest;
  }
  return p->address[operand] + offset * T::kBytes;
}
template <class T>
SIMT_INLINE uint32_t byte_stride(const NetworkArguments* p, unsigned operand, unsigned dimension) {
  return static_cast<uint32_t>(p->strides[operand][dimension]) * T::kBytes;
}

/// What becomes of sums: those of a lane in one column of C, `rows` of them below each other.
template <class T, class F>
struct Finish {
  /// `row`: of the first element. Rows from p->extents on are left out.
  template <unsigned rows>
  SIMT_INLINE void column(const NetworkArguments* p, unsigned product, unsigned row, unsigned column,
                          float (&sums)[rows]) {
    const Apply<F> apply(p);
    const float scale = p->scalars[0];
    NETWORK_UNROLLED
    for (unsigned i = 0; i < rows; ++i) sums[i] *= scale;
    const unsigned left = p->extents[kRowsOfC] - row;
    if (p->address[3] != 0) add(p, 3, product, row, column, left, sums);
    float none[rows] = {};
    apply(sums, none, none);
    if (p->address[4] != 0) add(p, 4, product, row, column, left, sums);
    const uint32_t step = byte_stride<T>(p, 0, kRowsOfC);
    uint32_t at = matrix_at<T>(p, 0, product) + row * step + column * byte_stride<T>(p, 0, kColumnsOfC);
    NETWORK_UNROLLED
    for (unsigned i = 0; i < rows; ++i, at += step)
      if (i < left) T::store(at, sums[i]);
  }

  template <unsigned rows>
  SIMT_INLINE void add(const NetworkArguments* p, unsigned operand, unsigned product, unsigned row,
                       unsigned column, unsigned left, float (&sums)[rows]) {
    const uint32_t step = byte_stride<T>(p, operand, kRowsOfC);
    uint32_t at =
        matrix_at<T>(p, operand, product) + row * step + column * byte_stride<T>(p, operand, kColumnsOfC);
    NETWORK_UNROLLED
    for (unsigned i = 0; i < rows; ++i, at += step)
      if (i < left) sums[i] += T::load(at);
  }
};

/// By the lanes: a warp computes `rows` x (`columns` * kLanes) elements. A lane has every kLanes-th column, so that
/// lanes load neighbouring elements of a row-major B; the elements of A are the same for all lanes.
template <class T, class F, unsigned rows, unsigned columns>
struct LaneProduct {
  static constexpr unsigned kWide = columns * kLanes;

  SIMT_INLINE void run(const NetworkArguments* p) {
    const unsigned m = p->extents[kRowsOfC], n = p->extents[kColumnsOfC], lane = simt_lane();
    const unsigned down = (m + rows - 1) / rows, across = (n + kWide - 1) / kWide;
    const unsigned items = batch_of(p) * down * across, warps = grid_warps();
    for (unsigned item = grid_warp(); item < items; item += warps) {
      const unsigned strip = item / across, product = strip / down;
      const unsigned row = (strip - product * down) * rows, column = (item - strip * across) * kWide + lane;
      float sums[columns][rows] = {};
      multiply(p, product, row, column, m, n, sums);
      NETWORK_UNROLLED
      for (unsigned c = 0; c < columns; ++c) {
        SIMT_IF(column + c * kLanes < n)
          Finish<T, F>::column(p, product, row, column + c * kLanes, sums[c]);
        SIMT_END_IF
      }
    }
  }

  SIMT_INLINE void multiply(const NetworkArguments* p, unsigned product, unsigned row, unsigned column,
                            unsigned m, unsigned n, float (&sums)[columns][rows]) {
    uint32_t a[rows], b[columns];  // rows and columns behind the last one repeat it
    NETWORK_UNROLLED
    for (unsigned i = 0; i < rows; ++i)
      a[i] = matrix_at<T>(p, 1, product) + (row + i < m ? row + i : m - 1) * byte_stride<T>(p, 1, kRowsOfC);
    NETWORK_UNROLLED
    for (unsigned c = 0; c < columns; ++c) {
      const unsigned at = column + c * kLanes;
      b[c] = matrix_at<T>(p, 2, product) + simt_select(at < n, at, n - 1) * byte_stride<T>(p, 2, kColumnsOfC);
    }
    const uint32_t step_a = byte_stride<T>(p, 1, kCommon), step_b = byte_stride<T>(p, 2, kCommon);
    for (unsigned k = p->extents[kCommon]; k != 0; --k) {
      float left[rows], right[columns];
      NETWORK_UNROLLED
      for (unsigned c = 0; c < columns; ++c) {
        right[c] = T::load(b[c]);
        b[c] += step_b;
      }
      NETWORK_UNROLLED
      for (unsigned i = 0; i < rows; ++i) {
        left[i] = T::load(a[i]);
        a[i] += step_a;
      }
      NETWORK_UNROLLED
      for (unsigned c = 0; c < columns; ++c) NETWORK_UNROLLED
      for (unsigned i = 0; i < rows; ++i) sums[c][i] = fmaf(left[i], right[c], sums[c][i]);
    }
  }
};

}  // namespace network
