// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "models/matrix_unit/array_kernels.h"
#include "models/matrix_unit/matrix_unit_params.h"
#include "models/matrix_unit/matrix_unit_stats.h"
#include "models/matrix_unit/rule_sums.h"
#include "models/protocol/payload/request_info.h"

namespace spica::matrix_unit {

/// Private memory of FP32 sums, in rows of DIM. Each addition rounds once (nearest even); a NaN result is the canonical
/// one. With integer operands, the words are 32-bit integers, added modulo 2^32.
class Accumulator {
 public:
  explicit Accumulator(const MatrixUnitParams& params);

  std::uint32_t rows() const { return rows_; }
  /// Adds (or writes) `columns` of each of `rows` rows of a result of the array (BlockMultiplier::compute).
  void add_block(std::uint32_t row, const float* result, std::uint32_t rows, std::uint32_t columns,
                 bool accumulate);
  /// Copies `elements` sums of a row in transfer format: FP32, or rounded to 16 bits if `narrow`.
  void read(std::uint32_t row, unsigned char* to, std::uint32_t elements, bool narrow) const;
  void write(std::uint32_t row, const unsigned char* from, std::uint32_t elements, bool narrow,
             bool accumulate);
  /// The number of rows read for accumulation since the last call.
  std::uint32_t take_rows_accumulated() { return std::exchange(rows_accumulated_, 0); }
  const float* row(std::uint32_t row) const { return &sums_[std::size_t{row} * dim_]; }
  /// Debug access to whole FP32 sums at any address. Returns the bytes moved.
  unsigned debug(protocol::Payload& payload);
  void reset();
  /// Not saved: rows_accumulated_, which is read in the cycle in which it is set; the fast mode does not count it.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(sums_);
    if (Archive::is_loading::value) rows_accumulated_ = 0;
  }

 private:
  bool integers() const { return kept_ == numeric::Format::kInt32; }
  /// Rounds sums to the format in which they are kept.
  void round_sums(float* sums, std::uint32_t count) const;

  const std::uint32_t dim_, rows_;
  const numeric::Format kept_;
  const numeric::Format result_;  // format of narrow elements
  const ArrayKernels& kernels_;
  // Without it, the array's sums are added. Not saved: rule_, which comes from the parameters.
  std::optional<RuleSums> rule_;
  std::vector<float> sums_;
  std::uint32_t rows_accumulated_ = 0;
};

/// Moves one accumulator row for the DMA, counts it and sets the response status. The DmaCommand of the access, if any,
/// selects 16-bit format and accumulation.
void access_row(protocol::Payload& payload, Accumulator& sums, const MatrixUnitParams& params,
                MatrixUnitStats& stats);

}  // namespace spica::matrix_unit
