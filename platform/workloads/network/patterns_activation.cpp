// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "platform/workloads/network/patterns.h"

namespace spica::network {

namespace {

Draft unary(Function function, std::size_t main, std::vector<std::size_t> nodes, std::size_t x,
            std::size_t result) {
  return Draft{Elementwise{function, 0, 0}, main, std::move(nodes), {x}, {result}};
}

/// Products of x, `gate` and 1/2 in any order: (x gate) / 2, (x / 2) gate, x (gate / 2). Returns the nodes, the last one with
/// the result; empty: another expression.
std::vector<std::size_t> half_product(const Matcher& matcher, std::size_t x, std::size_t gate) {
  const std::size_t first = matcher.only_user(gate, "Mul");
  if (first == kNone) return {};
  const std::size_t other = matcher.other_input(first, gate), product = matcher.output(first);
  const std::size_t second = matcher.only_user(product, "Mul");
  if (other == x && second != kNone && matcher.is_number(matcher.other_input(second, product), 0.5))
    return {first, second};
  if (matcher.is_number(other, 0.5) && second != kNone && matcher.other_input(second, product) == x)
    return {first, second};
  const std::size_t half = matcher.producer(other, "Mul");
  if (half != kNone && matcher.is_number(matcher.other_input(half, x), 0.5) &&
      matcher.used_only_by(other, {first}))
    return {half, first};
  return {};
}

/// x of x / sqrt(2) or x * sqrt(1 / 2); kNone: another expression.
std::size_t before_erf(const Matcher& matcher, std::size_t node) {
  const Node& scale = matcher.node(node);
  if (scale.type == "Div")
    return matcher.is_number(scale.inputs[1], std::sqrt(2.0)) ? scale.inputs[0] : kNone;
  if (scale.type != "Mul") return kNone;
  if (matcher.is_number(scale.inputs[1], std::sqrt(0.5))) return scale.inputs[0];
  return matcher.is_number(scale.inputs[0], std::sqrt(0.5)) ? scale.inputs[1] : kNone;
}

std::optional<Draft> match_gelu_erf(const Matcher& matcher, std::size_t erf) {
  const std::size_t scaled = matcher.node(erf).inputs[0], scale = matcher.value(scaled).producer;
  if (scale == kNone || !matcher.live(scale) || matcher.claimed(scale) ||
      !matcher.used_only_by(scaled, {erf}))
    return std::nullopt;
  const std::size_t x = before_erf(matcher, scale);
  const std::size_t add = matcher.only_user(matcher.output(erf), "Add");
  if (x == kNone || add == kNone || !matcher.is_number(matcher.other_input(add, matcher.output(erf)), 1))
    return std::nullopt;
  std::vector<std::size_t> nodes = half_product(matcher, x, matcher.output(add));
  if (nodes.empty()) return std::nullopt;
  const std::size_t result = matcher.output(nodes.back());
  nodes.insert(nodes.end(), {scale, erf, add});
  return unary(Function::kGeluErf, erf, std::move(nodes), x, result);
}

/// x and the nodes of x^3: Pow(x, 3), or x x x as two products.
struct Cube {
  std::size_t x = kNone;
  std::vector<std::size_t> nodes;
};

Cube match_cube(const Matcher& matcher, std::size_t value) {
  if (const std::size_t pow = matcher.producer(value, "Pow"); pow != kNone)
    return matcher.is_number(matcher.node(pow).inputs[1], 3) ? Cube{matcher.node(pow).inputs[0], {pow}}
                                                             : Cube{};
  const std::size_t outer = matcher.producer(value, "Mul");
  if (outer == kNone) return {};
  for (const std::size_t squared : matcher.node(outer).inputs) {
    const std::size_t inner = matcher.producer(squared, "Mul"), x = matcher.other_input(outer, squared);
    if (inner == kNone || x == squared || matcher.node(inner).inputs[0] != x ||
        matcher.node(inner).inputs[1] != x)
      continue;
    if (matcher.used_only_by(squared, {outer})) return {x, {inner, outer}};
  }
  return {};
}

std::optional<Draft> match_gelu_tanh(const Matcher& matcher, std::size_t tanh) {
  const std::size_t argument = matcher.node(tanh).inputs[0], scale = matcher.producer(argument, "Mul");
  if (scale == kNone || !matcher.used_only_by(argument, {tanh})) return std::nullopt;
  for (const std::size_t sum : matcher.node(scale).inputs) {
    const std::size_t add = matcher.producer(sum, "Add");
    if (add == kNone || !matcher.is_number(matcher.other_input(scale, sum), std::sqrt(2 / M_PI))) continue;
    for (const std::size_t term : matcher.node(add).inputs) {
      const std::size_t factor = matcher.producer(term, "Mul"), x = matcher.other_input(add, term);
      if (factor == kNone || x == kNone) continue;
      for (const std::size_t cubed : matcher.node(factor).inputs) {
        if (!matcher.is_number(matcher.other_input(factor, cubed), 0.044715)) continue;
        const Cube cube = match_cube(matcher, cubed);
        const std::size_t one = matcher.only_user(matcher.output(tanh), "Add");
        if (cube.x != x || one == kNone ||
            !matcher.is_number(matcher.other_input(one, matcher.output(tanh)), 1))
          continue;
        if (!matcher.used_only_by(cubed, {factor}) || !matcher.used_only_by(term, {add}) ||
            !matcher.used_only_by(sum, {scale}))
          continue;
        std::vector<std::size_t> nodes = half_product(matcher, x, matcher.output(one));
        if (nodes.empty()) continue;
        const std::size_t result = matcher.output(nodes.back());
        nodes.insert(nodes.end(), {scale, add, factor, tanh, one});
        nodes.insert(nodes.end(), cube.nodes.begin(), cube.nodes.end());
        return unary(Function::kGeluTanh, tanh, std::move(nodes), x, result);
      }
    }
  }
  return std::nullopt;
}

std::optional<Draft> match_gelu_sigmoid(const Matcher& matcher, std::size_t sigmoid) {
  const std::size_t argument = matcher.node(sigmoid).inputs[0], scale = matcher.producer(argument, "Mul");
  const std::size_t gate = matcher.output(sigmoid), mul = matcher.only_user(gate, "Mul");
  if (scale == kNone || mul == kNone || !matcher.used_only_by(argument, {sigmoid})) return std::nullopt;
  const std::size_t x = matcher.other_input(mul, gate);
  if (x == kNone || !matcher.is_number(matcher.other_input(scale, x), 1.702)) return std::nullopt;
  return unary(Function::kGeluSigmoid, sigmoid, {scale, sigmoid, mul}, x, matcher.output(mul));
}

}  // namespace

std::optional<Draft> match_gelu(const Matcher& matcher, std::size_t node) {
  const std::string& type = matcher.node(node).type;
  if (type == "Erf") return match_gelu_erf(matcher, node);
  if (type == "Tanh") return match_gelu_tanh(matcher, node);
  return type == "Sigmoid" ? match_gelu_sigmoid(matcher, node) : std::nullopt;
}

std::optional<Draft> match_silu(const Matcher& matcher, std::size_t node) {
  const Node& found = matcher.node(node);
  const bool hard = found.type == "HardSigmoid";
  if (!hard && found.type != "Sigmoid") return std::nullopt;
  if (hard && (std::abs(found.number("alpha", 0.2F) - 1.0 / 6) > 1e-6 || found.number("beta", 0.5) != 0.5))
    return std::nullopt;
  const std::size_t x = found.inputs[0], gate = matcher.output(node), mul = matcher.only_user(gate, "Mul");
  if (mul == kNone || matcher.other_input(mul, gate) != x) return std::nullopt;
  const std::size_t product = matcher.output(mul);
  if (hard) return unary(Function::kHardSwish, node, {node, mul}, x, product);
  const std::size_t second = matcher.only_user(product, "Mul");
  const std::size_t other = second == kNone ? kNone : matcher.other_input(second, product);
  if (other == kNone || other == product || matcher.extents(other) != matcher.extents(x) ||
      matcher.value(other).constant)
    return unary(Function::kSilu, node, {node, mul}, x, product);
  return Draft{Elementwise{Function::kSiluGate, 0, 0},
               second,
               {node, mul, second},
               {x, other},
               {matcher.output(second)}};
}

}  // namespace spica::network
