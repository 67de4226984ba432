// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "platform/workloads/network/array.h"
#include "platform/workloads/network/operators.h"

namespace spica::network {

/// What an output of an operator should be.
struct Expected {
  std::vector<double> values;  // row-major in the extents of the output, in double precision
  /// The error that arithmetic in FP32 may make, without the rounding to the type of the output. 0: exact.
  std::vector<double> allowed;
  /// Of a product or convolution with a function: the arguments of the function.
  std::vector<double> before;
  /// Of a product or convolution with bias or residual: what is without them.
  std::vector<double> sums;
};

/// How much a function behind a product can enlarge an error.
inline constexpr double kSteepest = 1.2;

/// The outputs of an operator for these inputs, one for each; empty for an output that is not given.
///
/// Allowed errors are in steps of 2^-24 of a magnitude: k + 8 steps of the sum of |a b|, |bias| and |residual| of a product;
/// n + 8 for a row of n; 8 for a function of elements.
/// `types`: of the outputs. Integers are computed as such.
std::vector<Expected> expected(const Operator& op, const std::vector<Array>& inputs,
                               const std::vector<ElementType>& types);

}  // namespace spica::network
