// SPDX-License-Identifier: Apache-2.0
// Operators as kernels see them: operands, integers and scalars by name.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/workloads/network/operators.h"
#include "platform/workloads/network_run/kernel_launch.h"

namespace spica::network {

/// What one launch computes, or two if a function behind it has no kernel together with it.
struct Call {
  struct Named {
    std::string name;
    Operand operand;
    std::optional<std::uint64_t> constant;  // its address, instead of an operand
    bool is_tiled = false;  // a kernel with tiles reads it up to whole ones along the last three axes
  };
  std::string op, format;
  Extents extents;  // of the iteration space, without leading ones
  Operand result;
  std::vector<Named> operands;
  std::map<std::string, double> scalars, integers, facts;
  Elementwise function;  // behind a product or convolution; none: kIdentity
  std::uint64_t items = 0;  // pieces of work that warps share out
  std::vector<Call> instead;  // preferred, where there is a kernel
};

/// "HardSigmoid": the function's name in the descriptions of kernels.
std::string operator_of(Function function);

/// The calls that compute an operator, in order. Throws NoKernel.
std::vector<Call> calls_of(const Operator& op, const KernelMemory& memory);

}  // namespace spica::network
