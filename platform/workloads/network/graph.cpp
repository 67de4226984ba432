// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/graph.h"

#include <algorithm>

namespace spica::network {

const Attribute* Node::find(std::string_view attribute) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [attribute](const Attribute& a) { return a.name == attribute; });
  return found == attributes.end() ? nullptr : &*found;
}

std::int64_t Node::integer(std::string_view attribute, std::int64_t otherwise) const {
  const Attribute* found = find(attribute);
  const auto* value = found != nullptr ? std::get_if<std::int64_t>(&found->value) : nullptr;
  return value != nullptr ? *value : otherwise;
}

double Node::number(std::string_view attribute, double otherwise) const {
  const Attribute* found = find(attribute);
  const auto* value = found != nullptr ? std::get_if<double>(&found->value) : nullptr;
  return value != nullptr ? *value : otherwise;
}

std::string Node::text(std::string_view attribute, std::string_view otherwise) const {
  const Attribute* found = find(attribute);
  const auto* value = found != nullptr ? std::get_if<std::string>(&found->value) : nullptr;
  return value != nullptr ? *value : std::string(otherwise);
}

std::optional<std::vector<std::int64_t>> Node::integer_list(std::string_view attribute) const {
  const Attribute* found = find(attribute);
  const auto* value = found != nullptr ? std::get_if<std::vector<std::int64_t>>(&found->value) : nullptr;
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

}  // namespace spica::network
