// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/functions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace spica::network {

namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

double gelu_tanh(double x) {
  const double root = 0.7978845608028654;  // sqrt(2 / pi)
  return x / 2 * (1 + std::tanh(root * (x + 0.044715 * x * x * x)));
}

/// NaN if one of them is, as ONNX's Max and Min.
double larger(double a, double b) { return std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b); }
double smaller(double a, double b) { return std::isnan(a) || std::isnan(b) ? a + b : std::min(a, b); }

double one_input(const Elementwise& operation, double x) {
  switch (operation.function) {
    case Function::kAbs: return std::abs(x);
    case Function::kNeg: return -x;
    case Function::kExp: return std::exp(x);
    case Function::kLog: return std::log(x);
    case Function::kSqrt: return std::sqrt(x);
    case Function::kReciprocal: return 1 / x;
    case Function::kErf: return std::erf(x);
    case Function::kSin: return std::sin(x);
    case Function::kCos: return std::cos(x);
    case Function::kTanh: return std::tanh(x);
    case Function::kSigmoid: return sigmoid(x);
    case Function::kSoftplus: return softplus(x);
    case Function::kSign: return x > 0 ? 1 : x < 0 ? -1 : x;
    case Function::kFloor: return std::floor(x);
    case Function::kCeil: return std::ceil(x);
    case Function::kRound: return std::nearbyint(x);  // ties to even
    case Function::kNot: return x == 0 ? 1 : 0;
    case Function::kIsNan: return std::isnan(x) ? 1 : 0;
    case Function::kRelu: return std::isnan(x) ? x : std::max(x, 0.0);
    case Function::kHardSwish: return x * std::clamp(x / 6 + 0.5, 0.0, 1.0);
    case Function::kMish: return x * std::tanh(softplus(x));
    case Function::kSoftsign: return x / (1 + std::abs(x));
    case Function::kGeluErf: return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
    case Function::kGeluTanh: return gelu_tanh(x);
    case Function::kGeluSigmoid: return x * sigmoid(1.702 * x);
    case Function::kSilu: return x * sigmoid(x);
    case Function::kLeakyRelu: return x < 0 ? operation.alpha * x : x;
    case Function::kElu: return operation.beta * (x < 0 ? operation.alpha * std::expm1(x) : x);
    case Function::kHardSigmoid: return std::clamp(operation.alpha * x + operation.beta, 0.0, 1.0);
    case Function::kClip: return smaller(larger(x, operation.alpha), operation.beta);
    default: return x;  // kIdentity, kCast
  }
}

double two_inputs(Function function, double a, double b) {
  switch (function) {
    case Function::kAdd: return a + b;
    case Function::kSub: return a - b;
    case Function::kMul: return a * b;
    case Function::kDiv: return a / b;
    case Function::kPow: return std::pow(a, b);
    case Function::kMin: return smaller(a, b);
    case Function::kMax: return larger(a, b);
    case Function::kMod: return std::fmod(a, b);
    case Function::kPrelu: return a < 0 ? a * b : a;
    case Function::kEqual: return a == b ? 1 : 0;
    case Function::kLess: return a < b ? 1 : 0;
    case Function::kLessOrEqual: return a <= b ? 1 : 0;
    case Function::kGreater: return a > b ? 1 : 0;
    case Function::kGreaterOrEqual: return a >= b ? 1 : 0;
    case Function::kAnd: return a != 0 && b != 0 ? 1 : 0;
    case Function::kOr: return a != 0 || b != 0 ? 1 : 0;
    case Function::kXor: return (a != 0) != (b != 0) ? 1 : 0;
    default: return a * sigmoid(a) * b;  // kSiluGate
  }
}

std::int64_t wrapping(std::uint64_t value) { return static_cast<std::int64_t>(value); }

std::int64_t power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 != 0 ? -1 : 1) : 0;
  std::uint64_t result = 1, factor = static_cast<std::uint64_t>(base);
  for (; exponent > 0; exponent >>= 1, factor *= factor)
    if ((exponent & 1) != 0) result *= factor;
  return wrapping(result);
}

/// Towards zero; the sign of the remainder is that of the divisor (Mod with fmod = 0).
std::optional<std::int64_t> quotient(std::int64_t a, std::int64_t b, bool remainder) {
  if (b == 0) return std::nullopt;
  if (b == -1) return remainder ? 0 : wrapping(0 - static_cast<std::uint64_t>(a));
  if (!remainder) return a / b;
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Elementwise clip_of(const NodeScope& scope) {
  Elementwise clip{Function::kClip, -std::numeric_limits<double>::infinity(),
                   std::numeric_limits<double>::infinity()};
  for (const std::size_t limit : {1U, 2U}) {
    if (!scope.given(limit)) continue;
    const Constant* value = scope.constant(limit);
    if (value == nullptr || value->elements() != 1) throw NodeError("its limits must be constant");
    (limit == 1 ? clip.alpha : clip.beta) = value->number_at(0);
  }
  return clip;
}

const std::map<std::string_view, Function>& functions_by_node() {
  static const std::map<std::string_view, Function> all{{"Abs", Function::kAbs},
                                                        {"Neg", Function::kNeg},
                                                        {"Exp", Function::kExp},
                                                        {"Log", Function::kLog},
                                                        {"Sqrt", Function::kSqrt},
                                                        {"Reciprocal", Function::kReciprocal},
                                                        {"Erf", Function::kErf},
                                                        {"Sin", Function::kSin},
                                                        {"Cos", Function::kCos},
                                                        {"Tanh", Function::kTanh},
                                                        {"Sigmoid", Function::kSigmoid},
                                                        {"Softplus", Function::kSoftplus},
                                                        {"Sign", Function::kSign},
                                                        {"Floor", Function::kFloor},
                                                        {"Ceil", Function::kCeil},
                                                        {"Round", Function::kRound},
                                                        {"Not", Function::kNot},
                                                        {"IsNaN", Function::kIsNan},
                                                        {"Relu", Function::kRelu},
                                                        {"HardSwish", Function::kHardSwish},
                                                        {"Mish", Function::kMish},
                                                        {"Gelu", Function::kGeluErf},
                                                        {"LeakyRelu", Function::kLeakyRelu},
                                                        {"Elu", Function::kElu},
                                                        {"Selu", Function::kElu},
                                                        {"Softsign", Function::kSoftsign},
                                                        {"HardSigmoid", Function::kHardSigmoid},
                                                        {"Clip", Function::kClip},
                                                        {"Cast", Function::kCast},
                                                        {"CastLike", Function::kCast},
                                                        {"Add", Function::kAdd},
                                                        {"Sum", Function::kAdd},
                                                        {"Sub", Function::kSub},
                                                        {"Mul", Function::kMul},
                                                        {"Div", Function::kDiv},
                                                        {"Pow", Function::kPow},
                                                        {"Min", Function::kMin},
                                                        {"Max", Function::kMax},
                                                        {"Mod", Function::kMod},
                                                        {"PRelu", Function::kPrelu},
                                                        {"Equal", Function::kEqual},
                                                        {"Less", Function::kLess},
                                                        {"LessOrEqual", Function::kLessOrEqual},
                                                        {"Greater", Function::kGreater},
                                                        {"GreaterOrEqual", Function::kGreaterOrEqual},
                                                        {"And", Function::kAnd},
                                                        {"Or", Function::kOr},
                                                        {"Xor", Function::kXor},
                                                        {"Where", Function::kWhere}};
  return all;
}

}  // namespace

bool is_elementwise(std::string_view node_type) { return functions_by_node().count(node_type) > 0; }

unsigned inputs_of(Function function) {
  if (function == Function::kWhere) return 3;
  return function >= Function::kAdd ? 2 : 1;
}

bool is_predicate(Function function) {
  return (function >= Function::kEqual && function <= Function::kXor) || function == Function::kNot ||
         function == Function::kIsNan;
}

double evaluate(const Elementwise& operation, double a, double b, double c) {
  switch (inputs_of(operation.function)) {
    case 1: return one_input(operation, a);
    case 2: return two_inputs(operation.function, a, b);
    default: return a != 0 ? b : c;
  }
}

std::optional<std::int64_t> evaluate_integer(const Elementwise& operation, std::int64_t a, std::int64_t b,
                                             std::int64_t c) {
  const auto left = static_cast<std::uint64_t>(a), right = static_cast<std::uint64_t>(b);
  switch (operation.function) {
    case Function::kIdentity:
    case Function::kCast: return a;
    case Function::kAbs: return a < 0 ? wrapping(0 - left) : a;
    case Function::kNeg: return wrapping(0 - left);
    case Function::kSign: return a > 0 ? 1 : a < 0 ? -1 : 0;
    case Function::kNot: return a == 0 ? 1 : 0;
    case Function::kRelu: return std::max(a, std::int64_t{0});
    case Function::kClip:
      if (static_cast<double>(a) < operation.alpha) return static_cast<std::int64_t>(operation.alpha);
      return static_cast<double>(a) > operation.beta ? static_cast<std::int64_t>(operation.beta) : a;
    case Function::kAdd: return wrapping(left + right);
    case Function::kSub: return wrapping(left - right);
    case Function::kMul: return wrapping(left * right);
    case Function::kDiv: return quotient(a, b, false);
    case Function::kMod: return quotient(a, b, true);
    case Function::kPow: return power(a, b);
    case Function::kMin: return std::min(a, b);
    case Function::kMax: return std::max(a, b);
    case Function::kEqual: return a == b;
    case Function::kLess: return a < b;
    case Function::kLessOrEqual: return a <= b;
    case Function::kGreater: return a > b;
    case Function::kGreaterOrEqual: return a >= b;
    case Function::kAnd: return a != 0 && b != 0;
    case Function::kOr: return a != 0 || b != 0;
    case Function::kXor: return (a != 0) != (b != 0);
    case Function::kWhere: return a != 0 ? b : c;
    default: return std::nullopt;
  }
}

Elementwise elementwise_of(const NodeScope& scope) {
  const Node& node = scope.node();
  Elementwise operation{functions_by_node().at(node.type), 0, 0};
  switch (operation.function) {
    case Function::kLeakyRelu: operation.alpha = node.number("alpha", 0.01F); break;
    case Function::kElu:
      operation.alpha = node.number("alpha", node.type == "Selu" ? 1.67326319F : 1.0F);
      operation.beta = node.number("gamma", node.type == "Selu" ? 1.05070102F : 1.0F);
      break;
    case Function::kHardSigmoid:
      operation.alpha = node.number("alpha", 0.2F);
      operation.beta = node.number("beta", 0.5);
      break;
    case Function::kClip: return clip_of(scope);
    case Function::kGeluErf:
      if (const std::string form = node.text("approximate", "none"); form == "tanh")
        operation.function = Function::kGeluTanh;
      else if (form != "none")
        throw NodeError("attribute 'approximate' = '" + form + "'; supported: none, tanh");
      break;
    default: break;
  }
  return operation;
}

}  // namespace spica::network
