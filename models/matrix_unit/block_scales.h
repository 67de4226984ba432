// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/matrix_unit/commands.h"
#include "models/matrix_unit/matrix_unit_params.h"

namespace spica::matrix_unit {

/// The scales of block-scaled operands (matrix_unit_params.h, block_scales): what the first block along k of a loop
/// has, for all rows of A and columns of B of a tile, and what they make of sums of products.
///
/// Of A   a row of the block holds the scales of a row of A, a byte for each block of 32 elements behind it
/// Of B   a column of the block, as consecutive bytes down its words, those of a column of B
class BlockScales {
 public:
  explicit BlockScales(const MatrixUnitParams& params);

  /// Keeps a first block: of A as it is, of B by words.
  void keep_a(const BlockWork& work, const unsigned char* rows);
  void keep_b(const BlockWork& work, const unsigned char* rows);

  /// Multiplies `sums`, DIM x DIM, by the scales of number `scaled_block` of a block operation. Each is rounded once,
  /// to nearest even; with a scale that is NaN it is NaN.
  void apply(const BlockWork& a, const BlockWork& b, unsigned scaled_block, float* sums) const;

  void reset();
  template <class Archive>
  void serialize(Archive& archive) {
    archive(a_, b_);
  }

 private:
  /// Scale of row (column) `across` of a block, for the scaled block `at`.
  std::uint8_t scale(const std::vector<unsigned char>& scales, std::uint32_t block, std::uint32_t across,
                     std::uint32_t at) const {
    return scales[((block * dim_ + across) * row_bytes_ + at) % scales.size()];
  }
  std::uint32_t number(const BlockWork& work, unsigned scaled_block) const {
    return work.block_of_k * per_operation_ + scaled_block;
  }

  const std::uint32_t dim_, row_bytes_, per_operation_;
  const int unit_;  // an element of 1 times one of 1 means 2^unit
  std::vector<unsigned char> a_, b_;  // a row of bytes for each row of A (column of B) of the tile
};

}  // namespace spica::matrix_unit
