// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/node_scope.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/input/user_error.h"

namespace spica::network {

const Extents& NodeScope::extents(std::size_t i) const {
  if (!given(i)) throw NodeError(fmt::format("input {} is missing", i));
  return *graph_.values[node_.inputs[i]].extents;
}

ElementType NodeScope::type(std::size_t i) const {
  if (!given(i)) throw NodeError(fmt::format("input {} is missing", i));
  return graph_.values[node_.inputs[i]].type;
}

const Constant* NodeScope::constant(std::size_t i) const {
  if (!given(i)) return nullptr;
  const Value& value = graph_.values[node_.inputs[i]];
  return value.constant ? &*value.constant : nullptr;
}

std::vector<std::int64_t> NodeScope::list(std::size_t i, std::string_view name) const {
  const Constant* found = constant(i);
  if (found == nullptr)
    throw NodeError(fmt::format("input '{}' must be constant: extents depend on it", name));
  return integers(*found);
}

std::optional<std::vector<std::int64_t>> NodeScope::list_of(std::string_view attribute, std::size_t i) const {
  if (given(i)) return list(i, attribute);
  return node_.integer_list(attribute);
}

std::size_t NodeScope::axis(std::int64_t axis, std::int64_t rank) {
  if (axis < -rank || axis >= rank)
    throw NodeError(fmt::format("axis {} of a tensor with {} axes", axis, rank));
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

void NodeScope::set(std::size_t i, ElementType type, Extents extents) {
  if (!wanted(i)) return;
  try {
    element_count(extents);
  } catch (const input::UserError& error) {
    throw NodeError(error.what());
  }
  if (type == ElementType::kUnknown) throw NodeError("the type of its output is not supported");
  Value& value = target_->values[node_.outputs[i]];
  value.type = type;
  value.extents = std::move(extents);
}

void NodeScope::set(std::size_t i, Constant constant) {
  if (!wanted(i)) return;
  set(i, constant.type, constant.extents);
  target_->values[node_.outputs[i]].constant = std::move(constant);
}

Extents broadcast(const Extents& a, const Extents& b) {
  Extents result(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::int64_t left = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t right = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (left != right && left != 1 && right != 1)
      throw NodeError(fmt::format("extents {} and {} do not fit together", extents_text(a), extents_text(b)));
    result[result.size() - 1 - i] = left == 1 ? right : left;
  }
  return result;
}

}  // namespace spica::network
