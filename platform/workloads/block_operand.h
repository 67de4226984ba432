// SPDX-License-Identifier: Apache-2.0
// Block-scaled operands (MX, NVFP4), as used by a matrix unit with block_scales and by tensor cores with fragments.
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/params.h"
#include "models/numeric/block_format.h"
#include "platform/workloads/gemm_design.h"

namespace spica::workloads {

/// Words of options.
inline constexpr base::Choices kBlockScales{
    base::Choice<numeric::BlockScale>{"floor", numeric::BlockScale::kFloor},
    base::Choice<numeric::BlockScale>{"rceil", numeric::BlockScale::kRceil}};

/// A matrix `across` x `k`, k a multiple of `block`: row `x` is a row of A, or a column of B.
struct BlockOperand {
  std::uint32_t across = 0, k = 0, block = 32;
  std::vector<std::uint8_t> scales;  // across x k / block
  std::vector<std::uint8_t> codes;  // across x k
  std::vector<float> elements;  // values of the codes without their scales

  std::uint32_t blocks() const { return k / block; }
  /// The scaled values. In FP32, which represents all of them exactly if they come from FP32 numbers.
  std::vector<float> values(numeric::BlockFormat format) const;
};

/// Quantises numbers in blocks (mx 6.3). `values`: across x k, row by row.
BlockOperand in_blocks(numeric::BlockFormat format, const std::vector<float>& values, std::uint32_t across,
                       std::uint32_t k, numeric::BlockScale rule = numeric::BlockScale::kFloor);

/// B of a product (k x n), from an operand whose rows are the columns of B.
std::vector<float> rows_of_b(numeric::BlockFormat format, const BlockOperand& b);

/// The bytes of A (`is_a`) or B in memory: for each tile along k first the scales of its blocks (matrix_unit_params.h,
/// block_scales), then its elements, in words in the layout of the design. Without the scales if they lie apart.
std::vector<unsigned char> memory_of(const GemmDesign& design, const BlockOperand& operand, bool is_a);
/// Scales that lie apart (GemmDesign::scale_depth): for each operation along k, those of row 0, row 1, ...
std::vector<unsigned char> memory_of_scales(const GemmDesign& design, const BlockOperand& operand);

/// C = A * B as rounded by the unit: a chain of fused multiply-adds in FP32 from 0 for each block of 32, rounded again
/// when multiplied by both scales. `operation` blocks of a block operation are summed first, then added to the sum,
/// which is rounded to `kept`.
std::vector<float> exact_block_product(numeric::BlockFormat format, const BlockOperand& a,
                                       const BlockOperand& b, unsigned operation,
                                       Element kept = Element::kFp32);

/// These sums as stored by the unit of the design.
std::vector<float> sums_of(const GemmDesign& design, const soc::SocParams& params, const BlockOperand& a,
                           const BlockOperand& b);

/// Compares C with the double-precision product of the operands, and bit by bit with exact_block_product().
GemmCheck check_blocks(const GemmDesign& design, const soc::SocParams& params, const BlockOperand& a,
                       const BlockOperand& b, const std::vector<float>& c);

}  // namespace spica::workloads
