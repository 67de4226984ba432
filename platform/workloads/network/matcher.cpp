// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/matcher.h"

#include <algorithm>
#include <cmath>

#include "platform/workloads/network/infer.h"
#include "platform/workloads/network/row_axes.h"

namespace spica::network {

Matcher::Matcher(const Graph& graph)
    : graph_(graph), live_(graph.nodes.size()), claimed_(graph.nodes.size()), users_(graph.values.size()) {
  std::vector<bool> needed(graph.values.size());
  for (const std::size_t output : graph.outputs) needed[output] = true;
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    const Node& node = graph.nodes[i];
    live_[i] = !is_folded(graph, node) &&
               std::any_of(node.outputs.begin(), node.outputs.end(),
                           [&](std::size_t output) { return output != kNone && needed[output]; });
    if (!live_[i]) continue;
    for (const std::size_t input : node.inputs) {
      if (input == kNone) continue;
      needed[input] = true;
      if (users_[input].empty() || users_[input].back() != i) users_[input].push_back(i);
    }
  }
  for (std::vector<std::size_t>& users : users_) std::reverse(users.begin(), users.end());
}

void Matcher::claim(const std::vector<std::size_t>& nodes) {
  for (const std::size_t node : nodes) claimed_[node] = true;
}

const std::vector<std::size_t>& Matcher::users(std::size_t value) const {
  static const std::vector<std::size_t> none;
  return value < users_.size() ? users_[value] : none;
}

std::size_t Matcher::producer(std::size_t value, std::string_view type) const {
  if (value == kNone) return kNone;
  const std::size_t node = graph_.values[value].producer;
  return node != kNone && live_[node] && !claimed_[node] && graph_.nodes[node].type == type ? node : kNone;
}

std::size_t Matcher::only_user(std::size_t value, std::string_view type) const {
  if (value == kNone || graph_.values[value].is_output || users_[value].size() != 1) return kNone;
  const std::size_t node = users_[value][0];
  return !claimed_[node] && graph_.nodes[node].type == type ? node : kNone;
}

bool Matcher::used_only_by(std::size_t value, std::vector<std::size_t> nodes) const {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return !graph_.values[value].is_output && users_[value] == nodes;
}

std::size_t Matcher::other_input(std::size_t node, std::size_t value) const {
  const Node& found = graph_.nodes[node];
  if (found.inputs.size() != 2) return kNone;
  if (found.inputs[0] == value) return found.inputs[1];
  return found.inputs[1] == value ? found.inputs[0] : kNone;
}

std::optional<double> Matcher::scalar(std::size_t value) const {
  if (value == kNone || !graph_.values[value].constant || graph_.values[value].constant->elements() != 1)
    return std::nullopt;
  return graph_.values[value].constant->number_at(0);
}

bool Matcher::is_number(std::size_t value, double number) const {
  const auto found = scalar(value);
  if (!found) return false;
  const ElementType type = graph_.values[value].type;
  // Two units in the last place: exporters compute sqrt(2 / pi) in their own way.
  const double unit = type == ElementType::kFp16 ? 0x1p-10 : type == ElementType::kBf16 ? 0x1p-7 : 0x1p-22;
  return std::abs(*found - number) <= std::abs(number) * unit;
}

bool Matcher::reduces_last_axis(std::size_t node) const {
  const Node& found = graph_.nodes[node];
  if (found.integer("keepdims", 1) == 0) return false;
  const NodeScope scope(graph_, node);
  return reduced_axes(scope) == std::vector<std::size_t>{extents(found.inputs[0]).size() - 1};
}

}  // namespace spica::network
