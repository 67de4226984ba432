// SPDX-License-Identifier: Apache-2.0
// Attention with the bit-exact rounding of the kernels that come with Spica.
#pragma once

#include <vector>

#include "platform/workloads/attention.h"

namespace spica::workloads {

/// True if the order of all sums of the design is known.
bool is_exact(const AttentionDesign& design);

/// The computed rows of O with the kernels' exponential (exponential.h) and order of sums (with S = Q K^T / sqrt(d),
/// blocks of 64 keys in sequence):
///
///   S, P V     as the unit adds and stores them (arithmetic.h); scores are not scaled
///   P          exp(S - m'), m' = max(m, S); rounded to the element format for the multiplication, but not for the sum
///   rows       a lane sums every eighth key (elements narrower than FP32: two neighbours of every sixteen; FP8: four
///              of every 32); then the sums of eight lanes are added in sequence; sum = exp(m - m')
///              * sum + that; rescale = 1 / exp(m' - m)
///   lanes      each of the warps that share a query keeps a sum: times rescale = exp(m - m'), plus two keys, eight
///              apart, at a time (narrower elements: two pairs of neighbours); at the end these sums are added in a
///              tree
///   registers  likewise the eight lanes that share a query, with eight keys each, two pairs of neighbours at a time
///   O          matrix unit, rows: (O + P V of the previous block) * rescale; matrix unit, lanes: O * rescale + P V in
///              one rounding; tensor cores: O * rescale, then add P V. At the end O * (1 / sum).
///
/// Requires is_exact().
std::vector<float> exact_attention(const AttentionDesign& design, const AttentionSize& size,
                                   const AttentionOperands& operands, Exponential exponential,
                                   const soc::SocParams& params);

}  // namespace spica::workloads
