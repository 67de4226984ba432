// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "platform/run/operands.h"

namespace spica::run {

/// The order in which a unit rounds the sums of one element of C, along k. Written from the facts of the
/// hardware and independent of the models, which have to agree with it bit by bit.
enum class Arithmetic : std::uint8_t {
  /// Matrix unit (facts 4.5): chains of `chain` fused multiply-adds from 0; each chain is then added to the
  /// sum in the accumulator.
  kFusedChains,
  /// Tensor core, FP32 (facts 2.5): two rounded products are added, that sum is added to C; sets of two
  /// words of k in ascending order.
  kPairs,
  /// Decoupled tensor core, FP16 (facts 2.6): trees of eight products in FP16, added to C in FP32; see
  /// fp16_trees.h.
  kHalfTrees,
};

/// C = A * B (row-major, m x k times k x n) rounded like the hardware; not for kHalfTrees. `chain` divides k, used by
/// kFusedChains only. About 10 ms for 256 x 256 x 256 on a host with fused multiply-add.
std::vector<float> exact_product(const GemmSize& size, const std::vector<float>& a,
                                 const std::vector<float>& b, Arithmetic arithmetic, unsigned chain);

/// Elements of `c` that differ in any bit from `expected`; two NaN are equal.
std::uint64_t different_elements(const std::vector<float>& expected, const std::vector<float>& c);

}  // namespace spica::run
