// SPDX-License-Identifier: Apache-2.0
// Runs small models on the reference in double precision.
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "platform/base/input/user_error.h"
#include "platform/workloads/network/expected.h"
#include "platform/workloads/network/lower.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/temporary_folder.h"
#include "testbenches/unit/network/model_writer.h"
#include "testbenches/unit/network/reference.h"

namespace spica::testbench {

inline network::Network load(const ModelWriter& model, const network::ShapeOptions& shapes = {},
                             const network::LowerOptions& options = {}) {
  const TemporaryFolder folder;
  return network::load_network(model.write(folder.path("m.onnx")), shapes, options);
}

/// The text of the error of a model, without its folder.
inline std::string refused(const ModelWriter& model, const network::ShapeOptions& shapes = {}) {
  const TemporaryFolder folder;
  try {
    network::load_network(model.write(folder.path("m.onnx")), shapes);
  } catch (const input::UserError& error) {
    return folder.without_folder(error.what());
  }
  return "";
}

/// Types of operators in order: "product softmax".
inline std::string types(const network::Network& network) {
  std::string text;
  for (const network::Operator& op : network.operators) text += (text.empty() ? "" : " ") + op.type();
  return text;
}

/// What becomes of a node: "operator", "fused", "folded", "view". The node is "n_" and its first output.
inline std::string row(const network::Network& network, const std::string& output) {
  for (std::size_t i = 0; i < network.graph.nodes.size(); ++i)
    if (network.graph.nodes[i].name == "n_" + output) {
      const char* names[] = {"operator", "fused", "folded", "view"};
      return names[static_cast<int>(network.rows[i].state)];
    }
  return "none";
}

/// Numbers of a tensor as a constant; they must outlive it.
inline network::Constant view_of(const network::Tensor& tensor, const network::Numbers& numbers) {
  network::Constant view;
  view.type = network::ElementType::kFp64;
  view.extents = tensor.extents;
  view.data = reinterpret_cast<const unsigned char*>(numbers.data());
  return view;
}

/// What results of an operator should be (expected.h) is what another reference has computed. `before`: its tensors before it.
inline void check_expected(const network::Network& network, const network::Operator& op,
                           const std::vector<network::Numbers>& before,
                           const std::vector<network::Numbers>& after) {
  std::vector<network::Array> inputs;
  for (const network::Operand& input : op.inputs) {
    inputs.emplace_back();
    if (!input.given()) continue;
    inputs.back() = gather(input, view_of(network.tensors[input.tensor], before[input.tensor]));
    inputs.back().type = network.tensors[input.tensor].type;
  }
  std::vector<network::ElementType> types;
  for (const network::Operand& output : op.outputs)
    types.push_back(output.given() ? network.tensors[output.tensor].type : network::ElementType::kUnknown);
  const std::vector<network::Expected> wanted = network::expected(op, inputs, types);
  INFO(op.name << " (" << op.type() << ")");
  for (std::size_t output = 0; output < op.outputs.size(); ++output) {
    const network::Operand& to = op.outputs[output];
    if (!to.given()) continue;
    std::size_t i = 0;
    bool same = true;
    network::for_each_index<1>(to.extents, {&to.strides}, [&](const std::array<std::int64_t, 1>& at) {
      const double is = after[to.tensor].at(static_cast<std::size_t>(to.offset + at[0])),
                   value = wanted[output].values[i];
      same = same &&
             (std::abs(is - value) <= 1e-9 * (1 + std::abs(value)) || (std::isnan(is) && std::isnan(value)));
      same = same && wanted[output].allowed[i++] >= 0;
    });
    CHECK(same);
  }
}

/// The elements of the outputs, for inputs that depend only on their place: numbers between -1 and 1, integers 0 to 2.
inline std::map<std::string, network::Numbers> compute(const network::Network& network) {
  std::vector<network::Numbers> tensors = network::reference_tensors(network);
  for (const network::Port& input : network.inputs) {
    network::Numbers& numbers = tensors[input.operand.tensor];
    const bool real = network::is_floating(network.tensors[input.operand.tensor].type);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] =
          real ? std::sin(static_cast<double>(7 * i + input.name.size())) : static_cast<double>(i % 3);
  }
  for (const network::Operator& op : network.operators) {
    const std::vector<network::Numbers> before = tensors;
    network::compute_reference(network, op, tensors);
    check_expected(network, op, before, tensors);
  }
  std::map<std::string, network::Numbers> outputs;
  for (const network::Port& output : network.outputs) {
    const network::Operand& operand = output.operand;
    for (std::int64_t i = 0; i < network::element_count(operand.extents); ++i) {
      std::int64_t rest = i, offset = operand.offset;
      for (std::size_t axis = operand.extents.size(); axis-- > 0; rest /= operand.extents[axis])
        offset += rest % operand.extents[axis] * operand.strides[axis];
      outputs[output.name].push_back(tensors[operand.tensor].at(static_cast<std::size_t>(offset)));
    }
  }
  return outputs;
}

/// The largest difference of an output of two networks; infinite if they have another number of elements.
inline double difference(const network::Network& a, const network::Network& b, const std::string& output) {
  const network::Numbers left = compute(a).at(output), right = compute(b).at(output);
  if (left.size() != right.size() || left.empty()) return HUGE_VAL;
  double largest = 0;
  for (std::size_t i = 0; i < left.size(); ++i) largest = std::max(largest, std::abs(left[i] - right[i]));
  return largest;
}

}  // namespace spica::testbench
