// SPDX-License-Identifier: Apache-2.0
// Operators without inputs that are computed during a run: constants, and those that depend on extents only.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platform/workloads/network/fold_limit.h"
#include "platform/workloads/network/node_types.h"

namespace spica::network {

namespace {

Constant integer_constant(const std::vector<std::int64_t>& values, Extents extents) {
  ConstantBuilder builder(ElementType::kInt64, std::move(extents));
  for (std::size_t i = 0; i < values.size(); ++i) builder.set(static_cast<std::int64_t>(i), values[i]);
  return std::move(builder).finish();
}

void infer_constant(NodeScope& scope) {
  const Node& node = scope.node();
  if (node.attributes.size() != 1) throw NodeError("it needs one attribute: its value");
  const Attribute& attribute = node.attributes[0];
  if (const auto* tensor = std::get_if<Constant>(&attribute.value)) return scope.set(0, *tensor);
  if (const auto* integer = std::get_if<std::int64_t>(&attribute.value))
    return scope.set(0, integer_constant({*integer}, {}));
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&attribute.value))
    return scope.set(0, integer_constant(*list, {static_cast<std::int64_t>(list->size())}));
  std::vector<double> numbers;
  Extents extents;
  if (const auto* number = std::get_if<double>(&attribute.value)) {
    numbers = {*number};
  } else {
    numbers = std::get<std::vector<double>>(attribute.value);
    extents = {static_cast<std::int64_t>(numbers.size())};
  }
  ConstantBuilder builder(ElementType::kFp32, std::move(extents));
  for (std::size_t i = 0; i < numbers.size(); ++i) builder.set(static_cast<std::int64_t>(i), numbers[i]);
  scope.set(0, std::move(builder).finish());
}

void require_small(const Extents& extents) {
  if (element_count(extents) > kMaxFoldedElements)
    throw NodeError(fmt::format("a constant of {} is too large; at most {} elements are computed on the host",
                                extents_text(extents), kMaxFoldedElements));
}

void infer_constant_of_shape(NodeScope& scope) {
  const Extents extents = scope.list(0, "input");
  for (const std::int64_t extent : extents)
    if (extent < 0) throw NodeError(fmt::format("an extent of {}", extent));
  const Attribute* value = scope.node().find("value");
  const auto* given = value != nullptr ? std::get_if<Constant>(&value->value) : nullptr;
  if (given != nullptr && given->elements() != 1) throw NodeError("attribute 'value' needs one element");
  const ElementType type = given != nullptr ? given->type : ElementType::kFp32;
  scope.set(0, type, extents);
  require_small(extents);
  ConstantBuilder builder(type, extents);
  if (given != nullptr)
    for (std::int64_t i = 0; i < element_count(extents); ++i) builder.copy(i, *given, 0);
  scope.set(0, std::move(builder).finish());
}

void infer_range(NodeScope& scope) {
  for (const std::size_t i : {0U, 1U, 2U})
    if (scope.constant(i) == nullptr || scope.constant(i)->elements() != 1)
      throw NodeError("its limits must be constant: extents depend on them");
  const double start = scope.constant(0)->number_at(0), limit = scope.constant(1)->number_at(0),
               step = scope.constant(2)->number_at(0);
  const double count = std::ceil((limit - start) / step);
  if (step == 0 || !(count < static_cast<double>(kMaxFoldedElements)))
    throw NodeError("a range of too many elements");
  const auto elements = static_cast<std::int64_t>(std::max(count, 0.0));
  ConstantBuilder builder(scope.type(0), {elements});
  for (std::int64_t i = 0; i < elements; ++i) {
    if (is_floating(scope.type(0))) builder.set(i, start + static_cast<double>(i) * step);
    else builder.set(i, scope.constant(0)->integer_at(0) + i * scope.constant(2)->integer_at(0));
  }
  scope.set(0, std::move(builder).finish());
}

void infer_shape(NodeScope& scope) {
  const std::int64_t rank = scope.rank(0);
  const auto limited = [rank](std::int64_t at) {
    return static_cast<std::size_t>(std::clamp(at < 0 ? at + rank : at, std::int64_t{0}, rank));
  };
  const std::size_t start = limited(scope.node().integer("start", 0)),
                    end = limited(scope.node().integer("end", rank));
  std::vector<std::int64_t> extents;
  for (std::size_t i = start; i < end; ++i) extents.push_back(scope.extents(0)[i]);
  scope.set(0, integer_constant(extents, {static_cast<std::int64_t>(extents.size())}));
}

void infer_size(NodeScope& scope) { scope.set(0, integer_constant({element_count(scope.extents(0))}, {})); }

/// Of constant values only: its extents depend on them.
void infer_non_zero(NodeScope& scope) {
  const Constant* x = scope.constant(0);
  if (x == nullptr)
    throw NodeError("its extents depend on values that are computed; supported: of a constant");
  require_small(x->extents);
  std::vector<std::int64_t> found;
  for (std::int64_t i = 0; i < x->elements(); ++i)
    if (x->number_at(i) != 0) found.push_back(i);
  const auto count = static_cast<std::int64_t>(found.size());
  std::vector<std::int64_t> result(found.size() * x->extents.size());
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = found[static_cast<std::size_t>(i)];
    for (std::size_t axis = x->extents.size(); axis-- > 0; rest /= x->extents[axis])
      result[static_cast<std::size_t>(static_cast<std::int64_t>(axis) * count + i)] = rest % x->extents[axis];
  }
  scope.set(0, integer_constant(result, {scope.rank(0), count}));
}

}  // namespace

std::vector<NodeType> source_node_types() {
  return {
      {"Constant", 0, 0, 1, "value:t value_int:i value_ints:l value_float:f value_floats:d", infer_constant},
      {"ConstantOfShape", 1, 1, 1, "value:t", infer_constant_of_shape},
      {"Range", 3, 3, 1, "", infer_range},
      {"Shape", 1, 1, 1, "start:i end:i", infer_shape},
      {"Size", 1, 1, 1, "", infer_size},
      {"NonZero", 1, 1, 1, "", infer_non_zero}};
}

}  // namespace spica::network
