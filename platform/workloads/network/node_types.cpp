// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/node_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

namespace spica::network {

namespace {

using Table = std::map<std::string_view, NodeType>;

const Table& table() {
  static const Table all = [] {
    Table types;
    for (const auto list : {elementwise_node_types, view_node_types, selection_node_types, product_node_types,
                            row_node_types, source_node_types})
      for (const NodeType& type : list()) types.emplace(type.name, type);
    return types;
  }();
  return all;
}

char kind_of(const Attribute& attribute) {
  constexpr std::string_view kKinds = "?fistdl?";  // in the order of the variant
  return kKinds[attribute.value.index()];
}

std::string_view kind_text(char kind) {
  switch (kind) {
    case 'i': return "an integer";
    case 'f': return "a number";
    case 's': return "a text";
    case 't': return "a tensor";
    case 'd': return "a list of numbers";
    default: return "a list of integers";
  }
}

}  // namespace

const NodeType* find_node_type(std::string_view name) {
  const auto found = table().find(name);
  return found == table().end() ? nullptr : &found->second;
}

std::vector<std::string> supported_node_types() {
  std::vector<std::string> names;
  for (const auto& [name, type] : table()) names.emplace_back(name);
  return names;
}

void check_node(const NodeType& type, const Node& node) {
  if (node.inputs.size() < type.min_inputs || node.inputs.size() > type.max_inputs)
    throw NodeError(fmt::format("{} inputs; supported: {}", node.inputs.size(),
                                type.min_inputs == type.max_inputs ? fmt::format("{}", type.min_inputs)
                                : type.max_inputs == kAnyNumber
                                    ? fmt::format("{} or more", type.min_inputs)
                                    : fmt::format("{} to {}", type.min_inputs, type.max_inputs)));
  for (std::size_t i = 0; i < type.min_inputs; ++i)
    if (node.inputs[i] == kNone) throw NodeError(fmt::format("input {} is missing", i));
  for (std::size_t i = type.outputs; i < node.outputs.size(); ++i)
    if (node.outputs[i] != kNone) throw NodeError(fmt::format("output {} is not supported", i));
  if (node.outputs.empty()) throw NodeError("the node has no output");
  for (const Attribute& attribute : node.attributes) {
    std::istringstream words{std::string(type.attributes)};
    std::string word;
    bool known = false;
    while (words >> word) {
      if (word.substr(0, word.size() - 2) != attribute.name) continue;
      known = true;
      if (word.back() != kind_of(attribute))
        throw NodeError(fmt::format("attribute '{}' must be {}", attribute.name, kind_text(word.back())));
    }
    if (!known) throw NodeError(fmt::format("attribute '{}' is not supported", attribute.name));
  }
}

}  // namespace spica::network
