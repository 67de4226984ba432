// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "platform/workloads/attention.h"
#include "platform/workloads/operands.h"

namespace spica::workloads {

/// What comparing with the double-precision reference gave.
struct AttentionCheck {
  GemmCheck output;                    // against the reference with the same exponential
  double largest_output = 0;           // |O| of the reference
  std::uint64_t undetermined = 0;  // elements of which the scores' errors leave nothing to compare
  double distance_to_softmax = 0;  // largest difference to the true softmax, 0 for the exact exponential
};

/// Compares the rows of `o` that are computed with online softmax in double precision, key blocks of 64 in ascending
/// order as in the kernels (which changes only the polynomial's results: it is not an exponential, so rescaling by it
/// depends on the order). Each element has its own bound, the rounding errors of the single-precision algorithm carried
/// through it, those of rounding to first order, with u = 2^-24 and d = head_dim:
///
///   score            roundings.product u sum |q k|
///   probability P    as the score, times 1/sqrt(d); u |x| for x = score - maximum; the exponential's own:
///                    2 u (exact, one unit in the last place) or 3 u (polynomial)
///   rescaling        u |x| and the exponential's own, u more for a reciprocal; nothing where the maximum surely stays
///   O = O r + P V    roundings.carried u of the sum of |P v| so far, (roundings.product + 1) u of the new ones
///   sum of P         roundings.sum u per block
///   division         3 u
///
/// Narrower formats add half a unit in the last place (FP16: 2^-11, and 2^-25 where numbers are below the smallest
/// normal one): roundings.half_product of product_format to each product, roundings.half_probability of
/// probability_format to P.
///
/// Errors of the maximum cancel for the exponential, not for the polynomial, which is charged twice the largest error
/// of a score. Both change by a factor of no more than exp(what x changes by). Of the exponential the errors of scores
/// change weights that are the same in O and in the sum of P: O moves by no more than sum p (exp(e) - 1) |v - O| / sum
/// p exp(-e), and not out of the range of v. Of the polynomial they count in both; where they are as large as the sum,
/// nothing is known of an element but that it is a number (`undetermined`). Of causal attention a query has the keys
/// that it sees; others in the blocks of 128 queries that kernels treat together have the weight exp(-87), which is
/// among the errors.
AttentionCheck check_attention(const AttentionSize& size, const AttentionOperands& operands,
                               Exponential exponential, Rescaling rescaling, const Roundings& roundings,
                               const std::vector<float>& o);

/// The verdict where O is known bit by bit: right when no element is different, whatever the bounds.
void take_bits(AttentionCheck& check, std::uint64_t different_elements);

/// How far O is from attention of `reals`, operands before they were rounded to a format, with the exact exponential:
/// into check.output.max_error and squared_errors.
void add_format_errors(AttentionCheck& check, const AttentionSize& size, const AttentionOperands& reals,
                       const std::vector<float>& o);

/// Adds the check of the next head to `check`.
void add(AttentionCheck& check, const AttentionCheck& next);

}  // namespace spica::workloads
