// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "platform/workloads/network/graph.h"
#include "platform/workloads/network/operators.h"

namespace spica::network {

/// An operator before its operands have a place in memory: its inputs and outputs are values of the graph.
struct Draft {
  Parameters parameters;
  std::size_t main = kNone;  // node that names the operator, and has attributes that `parameters` lack
  std::vector<std::size_t> nodes;  // all nodes that it replaces, ascending
  std::vector<std::size_t> inputs;  // values; kNone: not given
  std::vector<std::size_t> outputs;  // values
  bool removed = false;  // it has become part of another one

  std::size_t input(std::size_t i) const { return i < inputs.size() ? inputs[i] : kNone; }
};

}  // namespace spica::network
