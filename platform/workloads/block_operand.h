// SPDX-License-Identifier: Apache-2.0
// Operands in blocks that share a scale (MX), as a matrix unit with block_scales takes them.
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/params.h"
#include "models/numeric/block_format.h"
#include "platform/workloads/gemm_design.h"

namespace spica::workloads {

/// As words of options.
inline constexpr base::Choices kBlockScales{
    base::Choice<numeric::BlockScale>{"floor", numeric::BlockScale::kFloor},
    base::Choice<numeric::BlockScale>{"rceil", numeric::BlockScale::kRceil}};

/// A matrix `across` x `k`, k a multiple of 32: row `x` is one of A, or a column of B.
struct BlockOperand {
  std::uint32_t across = 0, k = 0;
  std::vector<std::uint8_t> scales;  // across x k / 32, E8M0
  std::vector<std::uint8_t> codes;  // across x k
  std::vector<float> elements;  // what the codes mean without their scale

  std::uint32_t blocks() const { return k / 32; }
  /// With it. In FP32, which holds the values of all numbers that were FP32 ones.
  std::vector<float> values(numeric::BlockFormat format) const;
};

/// Quantises numbers in blocks (mx 6.3). `values`: across x k, row by row.
BlockOperand in_blocks(numeric::BlockFormat format, const std::vector<float>& values, std::uint32_t across,
                       std::uint32_t k, numeric::BlockScale rule = numeric::BlockScale::kFloor);

/// B of a product, k x n, of an operand whose rows are its columns.
std::vector<float> rows_of_b(numeric::BlockFormat format, const BlockOperand& b);

/// The bytes of A (`is_a`) or B in memory: of each tile of k the scales of its blocks in front (matrix_unit_params.h,
/// block_scales), then its elements, in words as the design lays them out.
std::vector<unsigned char> memory_of(const GemmDesign& design, const BlockOperand& operand, bool is_a);

/// C = A * B as the unit rounds it: a chain of fused multiply-adds in FP32 from 0 for each block of 32, rounded once
/// more when it is multiplied by both scales; `operation` such blocks of a block operation are added up first, then to
/// the sum, which is rounded to `kept`.
std::vector<float> exact_block_product(numeric::BlockFormat format, const BlockOperand& a,
                                       const BlockOperand& b, unsigned operation,
                                       Element kept = Element::kFp32);

/// Those sums as the unit of the design stores them.
std::vector<float> sums_of(const GemmDesign& design, const soc::SocParams& params, const BlockOperand& a,
                           const BlockOperand& b);

/// Compares C with the product of the operands in double precision, and bit by bit with that.
GemmCheck check_blocks(const GemmDesign& design, const soc::SocParams& params, const BlockOperand& a,
                       const BlockOperand& b, const std::vector<float>& c);

}  // namespace spica::workloads
