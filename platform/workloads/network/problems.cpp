// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/problems.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/input/user_error.h"
#include "platform/workloads/network/node_types.h"

namespace spica::network {

namespace {

/// What to do about an unsupported operator; empty: only the list of supported ones helps.
std::string hint_for(const std::string& type) {
  if (type == "If" || type == "Loop" || type == "Scan")
    return "export without control flow: torch.onnx.export of a traced model, with fixed extents";
  if (type.find('.') != std::string::npos)
    return "operators of other domains are not supported; export without an optimiser for another runtime";
  if (type == "QLinearMatMul" || type == "QLinearConv" || type == "MatMulInteger" || type == "ConvInteger" ||
      type == "DynamicQuantizeLinear")
    return "quantise in QDQ form: DequantizeLinear, operator, QuantizeLinear";
  if (type.substr(0, 8) == "Sequence" || type == "Optional")
    return "sequences are not supported; use tensors";
  return {};
}

}  // namespace

void Problems::add(const Node& node, const std::string& what) { add(node.name, node.type, what); }

void Problems::add(const std::string& node, const std::string& type, const std::string& what) {
  const auto same = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.type == type && entry.what == what;
  });
  if (same != entries_.end()) ++same->nodes;
  else entries_.push_back({node, type, what, 1});
}

void Problems::add_unsupported(const Node& node) {
  unsupported_ = true;
  const std::string hint = hint_for(node.type);
  add(node, "unsupported operator" + (hint.empty() ? "" : "; " + hint));
}

void Problems::throw_if_any(const std::string& file) const {
  if (entries_.empty()) return;
  std::string text;
  for (const Entry& entry : entries_)
    text += fmt::format("{}{}: node '{}' ({}): {}{}", text.empty() ? "" : "\n", file, entry.node, entry.type,
                        entry.what, entry.nodes > 1 ? fmt::format(" ({} nodes)", entry.nodes) : "");
  if (unsupported_) text += fmt::format("\nsupported operators: {}", fmt::join(supported_node_types(), ", "));
  throw input::UserError(text);
}

}  // namespace spica::network
