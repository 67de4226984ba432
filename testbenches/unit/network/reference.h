// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "platform/workloads/network/operators.h"

namespace spica::network {

/// The elements of a tensor as numbers, in the order of memory. Integers are exact up to 2^53.
using Numbers = std::vector<double>;

/// Computes an operator on the host in double precision. `tensors`: by Network::tensors; those of its outputs must have
/// their size. Sums run in order of indices. Integer results are exact; others are not rounded to the type of the output.
void compute_reference(const Network& network, const Operator& op, std::vector<Numbers>& tensors);

/// All tensors of a network: constants with their values, others with zeros.
std::vector<Numbers> reference_tensors(const Network& network);

}  // namespace spica::network
