// SPDX-License-Identifier: Apache-2.0
// FP16 matrix products as the decoupled tensor core computes them, and the order in which its kernel
// expects the operands in memory. Written from the facts, not from the models.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/run/operands.h"

namespace spica::run {

/// The nearest FP16 number, ties to even, as a float; NaN is canonical.
float nearest_half(float value);
/// Makes FP16 numbers of an operand's values.
void round_to_halves(std::vector<float>& values);

/// C = A * B (row-major, FP16 numbers) with the sums of facts 2.6: along k in groups of eight; of a group
/// the products are rounded to FP16 and added in a tree, each sum rounded to FP16; that is added to C in
/// FP32. k is a multiple of 8. About 2 s for 1024 x 1024 x 1024.
std::vector<float> exact_half_trees(const GemmSize& size, const std::vector<float>& a,
                                    const std::vector<float>& b);

/// Largest error such a sum may have: `relative` times the sum of |a*b|, plus `absolute`.
struct ErrorBound {
  double relative = 0, absolute = 0;
};
ErrorBound half_tree_bound(std::uint32_t k);

/// What the hgmma kernel expects in memory: FP16 bits, row after row, with the elements exchanged so that
/// the DMA, which writes blocks of 16 x 16, leaves 32-byte blocks of two rows of A (columns of B) with eight
/// elements along k each (facts 2.6). The exchange stays inside blocks of 16 x 16 of A and of 32 x 32 of B:
///   A'[16 i + r][16 k + e] = A[16 i + 2 (r % 8) + e / 8][16 k + 8 (r / 8) + e % 8]       r, e = 0..15
///   B'[32 s + 16 q + r][32 p + 16 h + e]                                              q, h = 0..1
///       = B[32 s + 16 h + 8 (r / 8) + e % 8][32 p + 16 q + 2 (r % 8) + e / 8]
std::vector<std::uint16_t> hgmma_layout_a(const GemmSize& size, const std::vector<float>& a);
std::vector<std::uint16_t> hgmma_layout_b(const GemmSize& size, const std::vector<float>& b);

}  // namespace spica::run
