// SPDX-License-Identifier: Apache-2.0
// What the DMA makes of matrices in global memory on their way into tiles (<spica/matrix.h>): types of elements that it
// converts, and how a matrix says that it is scaled or transposed.
#pragma once

#include <matrix_unit.h>
#include <spica/copy.h>
#include <wmma.h>

namespace spica {

using wmma::bf16, wmma::half;

/// The bits of an FP8 number.
struct fp8_e4m3 {
  uint8_t bits;
};
struct fp8_e5m2 {
  uint8_t bits;
};

namespace detail {
/// Format of a type as the DMA knows it (MATRIX_UNIT_FORMAT_*).
template <class T>
inline constexpr unsigned format = 0;
template <class T>
inline constexpr unsigned format<const T> = format<T>;
template <>
inline constexpr unsigned format<float> = MATRIX_UNIT_FORMAT_FP32;
template <>
inline constexpr unsigned format<half> = MATRIX_UNIT_FORMAT_FP16;
template <>
inline constexpr unsigned format<bf16> = MATRIX_UNIT_FORMAT_BF16;
template <>
inline constexpr unsigned format<fp8_e4m3> = MATRIX_UNIT_FORMAT_FP8_E4M3;
template <>
inline constexpr unsigned format<fp8_e5m2> = MATRIX_UNIT_FORMAT_FP8_E5M2;
template <>
inline constexpr unsigned format<int8_t> = MATRIX_UNIT_FORMAT_INT8;
template <>
inline constexpr unsigned format<uint8_t> = MATRIX_UNIT_FORMAT_UINT8;

template <class T>
struct without_const {
  using type = T;
};
template <class T>
struct without_const<const T> {
  using type = T;
};
}  // namespace detail

/// How the DMA brings a matrix in global memory: its elements times `scale`, rounded to the nearest of the tile's, of
/// two the even one, beyond the largest the largest; and, transposed, its columns as rows. Elements that stay what they
/// are have no scale.
template <class T, bool is_transposed = false>
struct Reshaped {
  Matrix<T> matrix;
  float scale = 1;
};
template <class T>
SIMT_INLINE Reshaped<T> scaled(Matrix<T> matrix, float scale) {
  return {matrix, scale};
}
template <class T>
SIMT_INLINE Reshaped<T, true> transposed(Matrix<T> matrix) {
  return {matrix};
}
template <class T>
SIMT_INLINE Reshaped<T, true> transposed(Reshaped<T> from) {
  return {from.matrix, from.scale};
}

}  // namespace spica
