// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/workloads/network/operators.h"
#include "platform/workloads/network_run/blocks.h"

namespace spica::network {

/// The largest error of some elements, in units of what is allowed.
struct Difference {
  double error = 0, allowed = 0;  // of the element with the largest ratio
  std::int64_t index = 0;         // its row-major index
  double value = 0, wanted = 0;
  std::uint64_t wrong = 0;        // elements with a larger error than allowed
  bool right() const { return wrong == 0; }
  /// Above 1: too large.
  double ratio() const { return allowed > 0 ? error / allowed : error > 0 ? INFINITY : 0; }
};

/// The elements of a tensor.
using ReadTensor = std::function<Constant(std::size_t tensor)>;

/// What kernels of a product or convolution round to the format of the result, apart from the result.
struct StoredSums {
  bool in_steps = false;  // arguments of the function, which has a launch of its own
  bool by_unit = false;   // sums, before bias, residual and function
};

/// Compares the outputs of an operator in `memory` with the reference for the inputs there.
Difference check_operator(const Operator& op, const ReadTensor& memory, StoredSums stored);

/// The tensors that a network computes in double precision, kept as long as an operator or an output uses them.
class ReferenceRun {
 public:
  /// `given`: the elements of constants and inputs. `computed`: those of an earlier run of the operators before.
  ReferenceRun(const Network& network, ReadTensor given, std::map<std::size_t, Constant> computed = {});
  /// Computes the operators of a range, in order.
  void run(const OperatorRange& range);
  /// Row-major elements of an operand of an output.
  std::vector<double> values(const Operand& operand) const;
  /// Tensors that later operators or outputs use.
  const std::map<std::size_t, Constant>& computed() const { return computed_; }

 private:
  Constant read(std::size_t tensor) const;

  const Network& network_;
  ReadTensor given_;
  std::map<std::size_t, Constant> computed_;
};

/// The elements of an operand, row-major, also where it repeats them. `tensor`: the elements of its tensor.
std::vector<double> values_of(const Operand& operand, const Constant& tensor);

/// Compares an output, of `type` in memory, with wanted values; `relative` and `absolute`: what is allowed of an element.
Difference compare(const std::vector<double>& values, const std::vector<double>& wanted, ElementType type,
                   double absolute, double relative);

}  // namespace spica::network
