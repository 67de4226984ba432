// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/matrix_unit/commands.h"
#include "models/matrix_unit/matrix_unit_params.h"

namespace spica::matrix_unit {

/// The scales of block-scaled operands (matrix_unit_params.h, block_scales). The first block along k of a loop holds
/// them for all rows of A and columns of B of a tile.
///
/// Of A   a row of the block holds the scales of a row of A: one byte per group of 32 elements in the following blocks
/// Of B   a column of the block, read as consecutive bytes down its words, holds the scales of a column of B
class BlockScales {
 public:
  explicit BlockScales(const MatrixUnitParams& params);

  /// Stores a first block: of A as it is, of B by words.
  void keep_a(const BlockWork& work, const unsigned char* rows);
  void keep_b(const BlockWork& work, const unsigned char* rows);

  /// Multiplies `sums`, DIM x DIM, by the scales of group `scaled_block` of a block operation. Each product is rounded
  /// once, to nearest even; a NaN scale gives NaN.
  void apply(const BlockWork& a, const BlockWork& b, unsigned scaled_block, float* sums) const;

  void reset();
  template <class Archive>
  void serialize(Archive& archive) {
    archive(a_, b_);
  }

 private:
  /// The scale of row (column) `across` of a block, for group `at`.
  std::uint8_t scale(const std::vector<unsigned char>& scales, std::uint32_t block, std::uint32_t across,
                     std::uint32_t at) const {
    return scales[((block * dim_ + across) * row_bytes_ + at) % scales.size()];
  }
  std::uint32_t number(const BlockWork& work, unsigned scaled_block) const {
    return work.block_of_k * per_operation_ + scaled_block;
  }

  const std::uint32_t dim_, row_bytes_, per_operation_;
  const int unit_;  // the product of two elements with stored value 1 is 2^unit_
  std::vector<unsigned char> a_, b_;  // one row of bytes per row of A (column of B) of the tile
};

}  // namespace spica::matrix_unit
