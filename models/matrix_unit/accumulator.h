// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/matrix_unit/array_kernels.h"
#include "models/matrix_unit/matrix_unit_params.h"

namespace spica::matrix_unit {

/// Private memory of FP32 sums, in rows of DIM. Sums are added with one rounding each (nearest
/// even); a NaN result is the canonical one.
class Accumulator {
 public:
  explicit Accumulator(const MatrixUnitParams& params);

  std::uint32_t rows() const { return rows_; }
  /// Adds (or writes) `columns` of each of `rows` rows of DIM partial sums.
  void add_block(std::uint32_t row, const float* sums, std::uint32_t rows, std::uint32_t columns,
                 bool accumulate);
  /// `elements` sums of a row in the format of the wire: FP32, or rounded to FP16 when `narrow`.
  void read(std::uint32_t row, unsigned char* to, std::uint32_t elements, bool narrow) const;
  void write(std::uint32_t row, const unsigned char* from, std::uint32_t elements, bool narrow,
             bool accumulate);
  const float* row(std::uint32_t row) const { return &sums_[std::size_t{row} * dim_]; }
  void reset();

 private:
  const std::uint32_t dim_, rows_;
  const ArrayKernels& kernels_;
  std::vector<float> sums_;
};

}  // namespace spica::matrix_unit
