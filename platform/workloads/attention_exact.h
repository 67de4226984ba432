// SPDX-License-Identifier: Apache-2.0
// Attention as the kernels that come with Spica round it, bit by bit.
#pragma once

#include <vector>

#include "platform/workloads/attention.h"

namespace spica::workloads {

/// Whether the order of all sums of the design is known.
bool is_exact(const AttentionDesign& design);

/// The rows of O that are computed, with the exponential of the kernels (exponential.h), in the order of their sums
/// (with S = Q K^T / sqrt(d), blocks of 64 keys one after the other):
///
///   S, P V     as the unit adds and stores them (arithmetic.h), scores not scaled
///   P          exp(S - m'), m' = max(m, S); rounded to the element before it is multiplied, not before it is added
///   rows       the sum of a lane is that of every eighth key, where elements are narrower than FP32 of two neighbours
///              of every sixteen (FP8: four of every 32); those of eight lanes, one after the other; sum = exp(m - m')
///              * sum + that; rescale = 1 / exp(m' - m)
///   lanes      each of the warps that share a query carries a sum on, times rescale = exp(m - m'), to which it adds
///              two keys, eight apart, at a time, or of narrower elements two pairs of neighbours; at the end these are
///              added in a tree
///   registers  so do the eight lanes that share a query, of eight keys each, two pairs of neighbours at a time
///   O          matrix unit, rows: (O + P V of the block before) * rescale; matrix unit, lanes: O * rescale + P V in
///              one rounding; tensor cores: O * rescale, to which they add P V. At the end O * (1 / sum).
///
/// Only where is_exact().
std::vector<float> exact_attention(const AttentionDesign& design, const AttentionSize& size,
                                   const AttentionOperands& operands, Exponential exponential,
                                   const soc::SocParams& params);

}  // namespace spica::workloads
