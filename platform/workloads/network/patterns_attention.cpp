// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "platform/workloads/network/fold_limit.h"
#include "platform/workloads/network/patterns.h"
#include "platform/workloads/network/row_axes.h"
#include "platform/workloads/network/view.h"

namespace spica::network {

namespace {

/// A half of the last axis of a value.
struct Half {
  std::size_t x = kNone;     // the whole
  std::size_t node = kNone;  // Slice or Split
  bool second = false;
};

/// The half that a value is, used only by `user` and, if it is one output of a Split, with the other one.
std::optional<Half> match_half(const Matcher& matcher, std::size_t value, std::size_t user) {
  const std::size_t node = matcher.value(value).producer;
  if (node == kNone || !matcher.live(node) || matcher.claimed(node) || !matcher.used_only_by(value, {user}))
    return std::nullopt;
  const Node& found = matcher.node(node);
  if (found.type != "Slice" && found.type != "Split") return std::nullopt;
  const std::size_t x = found.inputs[0];
  const Extents& whole = matcher.extents(x);
  Extents half = whole;
  if (whole.empty() || whole.back() % 2 != 0 || whole.back() == 0) return std::nullopt;
  half.back() /= 2;
  if (matcher.extents(value) != half) return std::nullopt;
  const std::size_t output = value == found.outputs[0] ? 0 : 1;
  const NodeScope scope(matcher.graph(), node);
  const auto view = apply_view(scope, View::contiguous(whole), output);
  const View first = *View::contiguous(whole).sliced(whole.size() - 1, 0, 1, half.back());
  if (!view) return std::nullopt;
  for (std::size_t axis = 0; axis < whole.size(); ++axis) {  // the same strides: step 1, no other axis cut
    const Axis &a = view->axes[axis], &b = first.axes[axis];
    if (a.size() != b.size() || (!a.empty() && a[0].stride != b[0].stride)) return std::nullopt;
  }
  if (view->offset != 0 && view->offset != half.back()) return std::nullopt;
  return Half{x, node, view->offset != 0};
}

/// Whether a value only adds axes of one element, and repeats, in `extents`.
bool broadcasts_to(const Matcher& matcher, std::size_t value, const Extents& extents) {
  try {
    return broadcast(matcher.extents(value), extents) == extents;
  } catch (const NodeError&) {
    return false;
  }
}

/// Whether a mask is constant, 0 up to column row + columns - rows, and excludes all behind it.
bool is_causal(const Value& mask, const Extents& scores) {
  if (!mask.constant || mask.extents->size() < 2 || scores.size() < 2) return false;
  if (mask.constant->elements() > kMaxFoldedElements) return false;
  const std::int64_t columns = scores.back(), rows = scores[scores.size() - 2];
  if (rows == 1) return false;  // it sees all; operators have no axis of one row
  if (mask.extents->back() != columns || (*mask.extents)[mask.extents->size() - 2] != rows || columns < rows)
    return false;
  for (std::int64_t i = 0; i < mask.constant->elements(); ++i) {
    const bool excluded = i % columns > i / columns % rows + columns - rows;
    const double value = mask.constant->number_at(i);
    if (excluded ? !(value <= -1e4) : value != 0) return false;
  }
  return true;
}

/// Removes a product with or a division by a number before a value that only `user` uses. Returns the value
/// before it.
std::size_t strip_scale(const Matcher& matcher, std::size_t value, std::size_t user, Softmax& softmax,
                        Draft& draft) {
  if (!matcher.used_only_by(value, {user})) return value;
  if (const std::size_t div = matcher.producer(value, "Div"); div != kNone) {
    const auto number = matcher.scalar(matcher.node(div).inputs[1]);
    if (!number || *number == 0) return value;
    softmax.scale = 1 / *number;
    draft.nodes.push_back(div);
    return matcher.node(div).inputs[0];
  }
  const std::size_t mul = matcher.producer(value, "Mul");
  if (mul == kNone) return value;
  for (const std::size_t input : matcher.node(mul).inputs) {
    const std::size_t x = matcher.other_input(mul, input);
    const auto number = matcher.scalar(input);
    if (!number || x == kNone || matcher.extents(x) != matcher.extents(value)) continue;
    softmax.scale = *number;
    draft.nodes.push_back(mul);
    return x;
  }
  return value;
}

}  // namespace

std::optional<Draft> match_rotary(const Matcher& matcher, std::size_t concat) {
  const Node& node = matcher.node(concat);
  if (node.type != "Concat" || node.inputs.size() != 2) return std::nullopt;
  const std::size_t neg = matcher.producer(node.inputs[0], "Neg");
  const std::size_t turned = matcher.only_user(matcher.output(concat), "Mul");
  if (neg == kNone || turned == kNone || !matcher.used_only_by(node.inputs[0], {concat})) return std::nullopt;
  const auto second = match_half(matcher, matcher.node(neg).inputs[0], neg);
  const auto first = match_half(matcher, node.inputs[1], concat);
  if (!first || !second || first->x != second->x || first->second || !second->second) return std::nullopt;
  const std::size_t x = first->x;
  const Extents& extents = matcher.extents(x);
  if (matcher.extents(matcher.output(concat)) != extents) return std::nullopt;
  const std::size_t add = matcher.only_user(matcher.output(turned), "Add");
  if (add == kNone) return std::nullopt;
  const std::size_t straight = matcher.other_input(add, matcher.output(turned)),
                    mul = matcher.producer(straight, "Mul");
  if (mul == kNone || !matcher.used_only_by(straight, {add})) return std::nullopt;
  const std::size_t cos = matcher.other_input(mul, x),
                    sin = matcher.other_input(turned, matcher.output(concat));
  if (cos == kNone || cos == x || sin == kNone || !broadcasts_to(matcher, cos, extents) ||
      !broadcasts_to(matcher, sin, extents))
    return std::nullopt;
  std::vector<std::size_t> nodes{first->node, neg, concat, turned, mul, add};
  if (second->node != first->node) nodes.push_back(second->node);
  return Draft{Rotary{}, add, std::move(nodes), {x, cos, sin}, {matcher.output(add)}};
}

std::optional<Draft> match_softmax(const Matcher& matcher, std::size_t node) {
  const Node& found = matcher.node(node);
  if (found.type != "Softmax") return std::nullopt;
  const NodeScope scope(matcher.graph(), node);
  const std::size_t x = found.inputs[0];
  if (first_row_axis(scope) + 1 != matcher.extents(x).size()) return std::nullopt;
  const Extents& extents = matcher.extents(x);
  Softmax softmax;
  Draft draft{softmax, node, {node}, {x}, found.outputs};
  const std::size_t add = matcher.used_only_by(x, {node}) ? matcher.producer(x, "Add") : kNone;
  if (add == kNone) {
    draft.inputs[0] = strip_scale(matcher, x, node, softmax, draft);
  } else {
    std::size_t scores = matcher.node(add).inputs[0], mask = matcher.node(add).inputs[1];
    if (scores == mask) return std::nullopt;
    // Both may have all extents: the scores are those that are not constant, and scaled or a product.
    const auto rank = [&](std::size_t value) {
      if (matcher.extents(value) != extents || matcher.value(value).constant) return 0;
      for (const char* type : {"Div", "Mul", "MatMul", "Einsum"})
        if (matcher.producer(value, type) != kNone) return 2;
      return 1;
    };
    if (rank(mask) > rank(scores)) std::swap(scores, mask);
    if (rank(scores) == 0) return std::nullopt;
    draft.nodes.push_back(add);
    softmax.causal = is_causal(matcher.value(mask), extents);
    draft.inputs = {strip_scale(matcher, scores, add, softmax, draft), mask};
  }
  if (draft.nodes.size() == 1) return std::nullopt;
  draft.parameters = softmax;
  return draft;
}

}  // namespace spica::network
