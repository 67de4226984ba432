// SPDX-License-Identifier: Apache-2.0
// Products C = f(scale * A B + bias + residual) of strided matrices.
//
// Extents: three of a batch, rows of C, columns of C, the common dimension. Operands: C, A, B, bias, residual, with
// strides along these six dimensions; those of C, bias and residual along the common dimension do not count. A missing
// bias or residual has the address 0. Scalars: 0 scale, from 1 those of f.
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

/// What becomes of sums, several of a lane that lie along one dimension of the result.
template <class T, class F>
struct Finish {
  /// `left`: elements from the first one to the end of the result. at(operand): the address of the first one.
  template <unsigned count, class At>
  SIMT_INLINE void elements(const NetworkArguments* p, unsigned left, unsigned dimension, At at,
                            float (&sums)[count]) {
    const Apply<F> apply(p, 1);
    const float scale = p->scalars[0];
    NETWORK_UNROLLED
    for (unsigned i = 0; i < count; ++i) sums[i] *= scale;
    if (p->address[3] != 0) add(at(3), byte_stride<T>(p, 3, dimension), left, sums);
    if (p->address[4] != 0) add(at(4), byte_stride<T>(p, 4, dimension), left, sums);
    float none[count] = {};
    apply(sums, none, none);
    const uint32_t step = byte_stride<T>(p, 0, dimension);
    uint32_t to = at(0);
    NETWORK_UNROLLED
    for (unsigned i = 0; i < count; ++i, to += step)
      if (i < left) T::store(to, sums[i]);
  }
  /// Of a product: below each other in one column of C.
  template <unsigned count>
  SIMT_INLINE void column(const NetworkArguments* p, unsigned product, unsigned row, unsigned column,
                          float (&sums)[count]) {
    const auto at = [=](unsigned operand) NETWORK_BODY {
      return matrix_at<T>(p, operand, product) + row * byte_stride<T>(p, operand, kRowsOfC) +
             column * byte_stride<T>(p, operand, kColumnsOfC);
    };
    elements(p, p->extents[kRowsOfC] - row, kRowsOfC, at, sums);
  }

 private:
  template <unsigned count>
  SIMT_INLINE void add(uint32_t at, uint32_t step, unsigned left, float (&sums)[count]) {
    NETWORK_UNROLLED
    for (unsigned i = 0; i < count; ++i, at += step)
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
