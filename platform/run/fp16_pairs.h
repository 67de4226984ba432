// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "platform/run/operands.h"

namespace spica::run {

/// FP16 operands of the core-coupled tensor cores, as float values that FP16 holds exactly. Written from the
/// facts of the hardware and independent of the models, like arithmetic.h.

/// Uniform in [-1, 1) on a grid of 2^-10, the same on every host for a seed.
std::vector<float> make_half_operand(std::uint64_t count, std::uint64_t seed);

/// A row-major `rows` x `columns` matrix in memory order, one after the other ...
std::vector<std::uint16_t> half_rows(const std::vector<float>& matrix);
/// ... with two consecutive rows interleaved: for each pair of rows a row of words, the even row's element in
/// the low half. Of B, and of A transposed, that is a row of m or n words for each pair of k.
std::vector<std::uint16_t> half_row_pairs(const std::vector<float>& matrix, std::uint32_t rows,
                                          std::uint32_t columns);

/// C = A * B with the rounding of facts 2.5: of every four consecutive k the products rounded to FP16, added
/// pairwise with rounding to FP16, the two sums likewise, the result added to C in FP32. k is a multiple of 4.
std::vector<float> exact_half_pairs(const GemmSize& size, const std::vector<float>& a,
                                    const std::vector<float>& b);

/// Part of sum |a*b| by which FP16 products and their two sums may differ in addition to the FP32 sums. Holds
/// for the grid of make_half_operand, whose products need no rounding where FP16 is subnormal.
inline constexpr double kHalfPairsBound = 3.01 * 0x1p-11;

}  // namespace spica::run
