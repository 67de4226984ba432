// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "platform/workloads/attention.h"
#include "platform/workloads/operands.h"

namespace spica::workloads {

/// The result of a comparison with the double-precision reference.
struct AttentionCheck {
  GemmCheck output;                    // against the reference with the same exponential
  double largest_output = 0;           // largest |O| of the reference
  std::uint64_t undetermined = 0;  // elements that cannot be compared because of the errors of scores
  double distance_to_softmax = 0;  // largest difference from the true softmax; 0 for the exact exponential
};

/// Compares the computed rows of `o` with online softmax in double precision, using key blocks of 64 in ascending order
/// as in the kernels (this only affects the polynomial: it is not an exponential, so rescaling with it depends on the
/// order). Each element has its own bound: the rounding errors of the single-precision algorithm, propagated to first
/// order, with u = 2^-24 and d = head_dim:
///
///   score            roundings.product u sum |q k|
///   probability P    as the score, times 1/sqrt(d); u |x| for x = score - maximum; the exponential's own error: 2 u
///                    (exact, one unit in the last place) or 3 u (polynomial)
///   rescaling        u |x| and the exponential's own error, u more for a reciprocal; 0 if the maximum certainly does
///                    not change
///   O = O r + P V    roundings.carried u of the sum of |P v| so far, (roundings.product + 1) u of the new ones
///   sum of P         roundings.sum u per block
///   division         3 u
///
/// Narrower formats add half a unit in the last place (FP16: 2^-11, and 2^-25 for subnormal numbers):
/// roundings.half_product of product_format to each product, roundings.half_probability of probability_format to P.
///
/// Errors of the maximum cancel for the exponential, but not for the polynomial, which is charged twice the largest
/// error of a score. Both change at most by the factor exp(change of x). For the exponential, score errors change the
/// same weights in O and in the sum of P: O changes by at most sum p (exp(e) - 1) |v - O| / sum p exp(-e), and stays
/// within the range of v. For the polynomial they count in both; if they are as large as the sum, an element is only
/// known to be a number (`undetermined`). With causal attention a query uses the keys that it sees; other keys in the
/// blocks of 128 queries that kernels process together have the weight exp(-87), which is included in the errors.
AttentionCheck check_attention(const AttentionSize& size, const AttentionOperands& operands,
                               Exponential exponential, Rescaling rescaling, const Roundings& roundings,
                               const std::vector<float>& o);

/// Sets the verdict if O is known bit by bit: right if no element differs, regardless of the bounds.
void take_bits(AttentionCheck& check, std::uint64_t different_elements);

/// Adds the difference of O from attention of `reals`, the operands before rounding to a format, with the exact
/// exponential: check.output.max_error and squared_errors.
void add_format_errors(AttentionCheck& check, const AttentionSize& size, const AttentionOperands& reals,
                       const std::vector<float>& o);

/// Adds the check of the next head to `check`.
void add(AttentionCheck& check, const AttentionCheck& next);

}  // namespace spica::workloads
