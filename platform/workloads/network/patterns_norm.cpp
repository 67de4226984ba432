// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "platform/workloads/network/patterns.h"

namespace spica::network {

namespace {

/// The node that squares a value, among its users: Pow(x, 2) or Mul(x, x). kNone: there is none.
std::size_t square_of(const Matcher& matcher, std::size_t x) {
  for (const std::size_t user : matcher.users(x)) {
    const Node& node = matcher.node(user);
    if (matcher.claimed(user)) continue;
    if (node.type == "Pow" && node.inputs[0] == x && matcher.is_number(node.inputs[1], 2)) return user;
    if (node.type == "Mul" && node.inputs[0] == x && node.inputs[1] == x) return user;
  }
  return kNone;
}

/// x / sqrt(mean + epsilon), from the mean on.
struct Root {
  double epsilon = 0;
  std::vector<std::size_t> nodes;  // the addition, the root, a reciprocal, and the product or division
  std::size_t result = kNone;      // value
};

std::optional<Root> match_root(const Matcher& matcher, std::size_t mean, std::size_t x) {
  Root root;
  const std::size_t add = matcher.only_user(mean, "Add");
  if (add == kNone) return std::nullopt;
  const auto epsilon = matcher.scalar(matcher.other_input(add, mean));
  const std::size_t sqrt = matcher.only_user(matcher.output(add), "Sqrt");
  if (!epsilon || sqrt == kNone) return std::nullopt;
  root.epsilon = *epsilon;
  root.nodes = {add, sqrt};
  std::size_t factor = matcher.output(sqrt);
  if (const std::size_t div = matcher.only_user(factor, "Div"); div != kNone) {
    const Node& node = matcher.node(div);
    root.nodes.push_back(div);
    if (node.inputs[1] != factor) return std::nullopt;
    if (node.inputs[0] == x) {
      root.result = matcher.output(div);
      return root;
    }
    if (!matcher.is_number(node.inputs[0], 1)) return std::nullopt;
    factor = matcher.output(div);
  } else if (const std::size_t reciprocal = matcher.only_user(factor, "Reciprocal"); reciprocal != kNone) {
    root.nodes.push_back(reciprocal);
    factor = matcher.output(reciprocal);
  } else {
    return std::nullopt;
  }
  const std::size_t mul = matcher.only_user(factor, "Mul");
  if (mul == kNone || matcher.other_input(mul, factor) != x) return std::nullopt;
  root.nodes.push_back(mul);
  root.result = matcher.output(mul);
  return root;
}

/// Extends `draft`, whose output is a row operator on the last axis, by a following node with a weight: extents [n], or those
/// of one row.
bool add_row_weight(const Matcher& matcher, Draft& draft, std::string_view type) {
  const std::size_t value = draft.outputs[0];
  const std::size_t user = matcher.only_user(value, type);
  if (user == kNone) return false;
  const std::size_t weight = matcher.other_input(user, value);
  if (weight == kNone || weight == value) return false;
  const Extents &extents = matcher.extents(weight), &row = matcher.extents(value);
  if (extents.empty() || extents.back() != row.back() || extents.size() > row.size()) return false;
  if (std::any_of(extents.begin(), extents.end() - 1, [](std::int64_t extent) { return extent != 1; }))
    return false;
  draft.inputs.push_back(weight);
  draft.nodes.push_back(user);
  draft.outputs = {matcher.output(user)};
  return true;
}

/// The same for a weight of each channel, [C, 1, 1] or [1, C, 1, 1] for x of [N, C, H, W].
bool add_channel_weight(const Matcher& matcher, Draft& draft, std::string_view type) {
  const std::size_t value = draft.outputs[0];
  const std::size_t user = matcher.only_user(value, type);
  if (user == kNone) return false;
  const std::size_t weight = matcher.other_input(user, value);
  if (weight == kNone) return false;
  const Extents &extents = matcher.extents(weight), &x = matcher.extents(value);
  if (extents.size() > x.size()) return false;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::size_t axis = x.size() - extents.size() + i;
    if (extents[i] != (axis == 1 ? x[1] : 1)) return false;
  }
  if (extents.size() + 1 < x.size()) return false;  // without an axis for channels
  draft.inputs.push_back(weight);
  draft.nodes.push_back(user);
  draft.outputs = {matcher.output(user)};
  return true;
}

bool all_are(const Value& value, double number) {
  if (!value.constant) return false;
  for (std::int64_t i = 0; i < value.constant->elements(); ++i)
    if (value.constant->number_at(i) != number) return false;
  return true;
}

}  // namespace

std::optional<Draft> match_layer_norm(const Matcher& matcher, std::size_t sub) {
  if (matcher.node(sub).type != "Sub") return std::nullopt;
  const std::size_t x = matcher.node(sub).inputs[0], centred = matcher.output(sub);
  const std::size_t mean = matcher.producer(matcher.node(sub).inputs[1], "ReduceMean");
  if (mean == kNone || matcher.node(mean).inputs[0] != x || !matcher.reduces_last_axis(mean))
    return std::nullopt;
  const std::size_t square = square_of(matcher, centred);
  if (square == kNone) return std::nullopt;
  const std::size_t variance = matcher.only_user(matcher.output(square), "ReduceMean");
  if (variance == kNone || !matcher.reduces_last_axis(variance)) return std::nullopt;
  const auto root = match_root(matcher, matcher.output(variance), centred);
  if (!root || !matcher.used_only_by(matcher.output(mean), {sub}) ||
      !matcher.used_only_by(centred, {square, root->nodes.back()}))
    return std::nullopt;
  Draft draft{LayerNorm{root->epsilon}, sub, {mean, sub, square, variance}, {x}, {root->result}};
  draft.nodes.insert(draft.nodes.end(), root->nodes.begin(), root->nodes.end());
  if (add_row_weight(matcher, draft, "Mul")) add_row_weight(matcher, draft, "Add");
  draft.main = draft.nodes.back();
  return draft;
}

std::optional<Draft> match_rms_norm(const Matcher& matcher, std::size_t mean) {
  if (matcher.node(mean).type != "ReduceMean" || !matcher.reduces_last_axis(mean)) return std::nullopt;
  const std::size_t squared = matcher.node(mean).inputs[0], square = matcher.value(squared).producer;
  if (square == kNone || !matcher.live(square) || matcher.claimed(square)) return std::nullopt;
  const std::size_t x = matcher.node(square).input(0);
  if (x == kNone || square_of(matcher, x) != square || !matcher.used_only_by(squared, {mean}))
    return std::nullopt;
  const auto root = match_root(matcher, matcher.output(mean), x);
  if (!root) return std::nullopt;
  Draft draft{RmsNorm{root->epsilon}, mean, {square, mean}, {x}, {root->result}};
  draft.nodes.insert(draft.nodes.end(), root->nodes.begin(), root->nodes.end());
  add_row_weight(matcher, draft, "Mul");
  draft.main = draft.nodes.back();
  return draft;
}

std::optional<Draft> match_group_norm(const Matcher& matcher, std::size_t norm) {
  const Node& node = matcher.node(norm);
  if (node.type != "InstanceNormalization") return std::nullopt;
  const std::size_t split = matcher.producer(node.inputs[0], "Reshape");
  const std::size_t join = matcher.only_user(matcher.output(norm), "Reshape");
  if (split == kNone || join == kNone || !matcher.used_only_by(node.inputs[0], {norm})) return std::nullopt;
  const std::size_t x = matcher.node(split).inputs[0];
  const Extents &whole = matcher.extents(x), &parts = matcher.extents(node.inputs[0]);
  if (whole.size() < 3 || parts.size() != 3 || parts[0] != whole[0] || parts[1] < 1 ||
      whole[1] % parts[1] != 0 || matcher.extents(matcher.output(join)) != whole)
    return std::nullopt;
  if (!all_are(matcher.value(node.inputs[1]), 1) || !all_are(matcher.value(node.inputs[2]), 0))
    return std::nullopt;
  Draft draft{
      GroupNorm{node.number("epsilon", 1e-5F)}, norm, {split, norm, join}, {x}, {matcher.output(join)}};
  if (add_channel_weight(matcher, draft, "Mul")) add_channel_weight(matcher, draft, "Add");
  return draft;
}

}  // namespace spica::network
