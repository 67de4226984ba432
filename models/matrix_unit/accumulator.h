// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/matrix_unit/array_kernels.h"
#include "models/matrix_unit/matrix_unit_params.h"
#include "models/matrix_unit/matrix_unit_stats.h"
#include "models/protocol/request_info.h"

namespace spica::matrix_unit {

/// Private memory of FP32 sums, in rows of DIM. Sums are added with one rounding each (nearest
/// even); a NaN result is the canonical one. Of integer operands its words are integers of 32 bits, added modulo 2^32.
class Accumulator {
 public:
  explicit Accumulator(const MatrixUnitParams& params);

  std::uint32_t rows() const { return rows_; }
  /// Adds (or writes) `columns` of each of `rows` rows of DIM partial sums.
  void add_block(std::uint32_t row, const float* sums, std::uint32_t rows, std::uint32_t columns,
                 bool accumulate);
  /// `elements` sums of a row in the format of the wire: FP32, or rounded to 16 bits when `narrow`.
  void read(std::uint32_t row, unsigned char* to, std::uint32_t elements, bool narrow) const;
  void write(std::uint32_t row, const unsigned char* from, std::uint32_t elements, bool narrow,
             bool accumulate);
  /// Rows that were read to be added to, since the last call.
  std::uint32_t take_rows_accumulated() { return std::exchange(rows_accumulated_, 0); }
  const float* row(std::uint32_t row) const { return &sums_[std::size_t{row} * dim_]; }
  /// Debug access: whole sums in FP32, wherever they start. Returns the bytes moved.
  unsigned debug(protocol::Payload& payload);
  void reset();
  /// Not saved: rows_accumulated_, which are counted in their cycle; the fast mode counts none.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(sums_);
    if (Archive::is_loading::value) rows_accumulated_ = 0;
  }

 private:
  bool integers() const { return kept_ == numeric::Format::kInt32; }
  /// To the format in which they are kept.
  void round_sums(float* sums, std::uint32_t count) const;

  const std::uint32_t dim_, rows_;
  const numeric::Format kept_;
  const numeric::Format result_;  // of narrow elements
  const ArrayKernels& kernels_;
  std::vector<float> sums_;
  std::uint32_t rows_accumulated_ = 0;
};

/// Moves one accumulator row for the DMA, counts it and sets the response status. The DmaCommand it belongs to, if any,
/// selects 16 bits, and addition.
void access_row(protocol::Payload& payload, Accumulator& sums, const MatrixUnitParams& params,
                MatrixUnitStats& stats);

}  // namespace spica::matrix_unit
