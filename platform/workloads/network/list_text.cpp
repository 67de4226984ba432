// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/list_text.h"

#include <fmt/format.h>

#include <array>
#include <map>

#include "platform/base/input/printable.h"
#include "platform/base/text/number_format.h"
#include "platform/observe/report/text_table.h"

namespace spica::network {

namespace {

std::string product_text(const Operator& op) {
  const Extents &a = op.inputs[0].extents, &y = op.outputs[0].extents;
  const std::size_t rank = y.size();
  Extents batch(y.begin(), y.end() - 2);
  std::string text = fmt::format("{}x{}x{}", y[rank - 2], y[rank - 1], a[rank - 1]);
  return batch.empty() ? text : fmt::format("{} of {}", extents_text(batch), text);
}

std::string function_text(const Operator& op) {
  const auto* product = std::get_if<Product>(&op.parameters);
  const auto* convolution = std::get_if<Convolution>(&op.parameters);
  if (product == nullptr && convolution == nullptr) return {};
  const Elementwise& function = product != nullptr ? product->function : convolution->function;
  std::string text;
  if (op.inputs[2].given()) text += " + bias";
  if (op.inputs[3].given()) text += " + residual";
  if (function.function != Function::kIdentity) text += fmt::format(", {}", name_of(function.function));
  return text;
}

std::string operator_text(const Operator& op) {
  return fmt::format("{} {}{}", op.type(), extents_text(op), function_text(op));
}

}  // namespace

std::string extents_text(const Operator& op) {
  if (std::holds_alternative<Product>(op.parameters)) return product_text(op);
  if (std::holds_alternative<Convolution>(op.parameters))
    return fmt::format("{} by {}", extents_text(op.inputs[0].extents), extents_text(op.inputs[1].extents));
  if (std::holds_alternative<Reduce>(op.parameters) || std::holds_alternative<TopK>(op.parameters))
    return extents_text(op.inputs[0].extents);
  for (const Operand& output : op.outputs)
    if (output.given() && !std::holds_alternative<Copy>(op.parameters)) return extents_text(output.extents);
  std::string text;
  for (const Operand& output : op.outputs) text += (text.empty() ? "" : " + ") + extents_text(output.extents);
  return text;
}

std::string row_text(const Network& network, std::size_t node) {
  const Row& row = network.rows[node];
  switch (row.state) {
    case Row::State::kOperator: return operator_text(network.operators[row.op]);
    case Row::State::kFused: return "fused into " + input::printable(network.operators[row.op].name);
    case Row::State::kView: return "view";
    default: return "folded";
  }
}

std::string list_text(const Network& network) {
  report::TextTable table({{"node", report::TextTable::Align::kLeft},
                           {"ONNX operator", report::TextTable::Align::kLeft},
                           {"becomes", report::TextTable::Align::kLeft}});
  std::array<std::size_t, 4> counts{};
  for (std::size_t i = 0; i < network.graph.nodes.size(); ++i) {
    ++counts[static_cast<std::size_t>(network.rows[i].state)];
    table.add(
        {input::printable(network.graph.nodes[i].name), network.graph.nodes[i].type, row_text(network, i)});
  }
  std::string text = table.text();
  report::TextTable copies(
      {{"added", report::TextTable::Align::kLeft}, {"", report::TextTable::Align::kLeft}});
  std::map<std::string, std::size_t> by_type;
  for (const Operator& op : network.operators) {
    ++by_type[op.type()];
    if (op.nodes.empty()) copies.add({input::printable(op.name), operator_text(op)});
  }
  if (const std::string added = copies.text(); !added.empty()) text += "\n" + added;
  std::size_t bytes[3] = {0, 0, 0};
  for (const Tensor& tensor : network.tensors)
    bytes[static_cast<std::size_t>(tensor.role)] +=
        static_cast<std::size_t>(element_count(tensor.extents)) * bytes_of(tensor.type);
  text += fmt::format("\n{} nodes: {} operators, {} fused, {} folded, {} views\n", network.graph.nodes.size(),
                      counts[0], counts[1], counts[2], counts[3]);
  std::string types;
  for (const auto& [type, count] : by_type)
    types += fmt::format("{}{} {}", types.empty() ? "" : ", ", count, type);
  text += fmt::format("{} launches: {}\n", network.operators.size(), types);
  text += fmt::format("bytes: {} of inputs, {} of constants, {} of results\n", text::grouped(bytes[0]),
                      text::grouped(bytes[1]), text::grouped(bytes[2]));
  return text;
}

}  // namespace spica::network
