// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/operators.h"

#include <array>
#include <iterator>

namespace spica::network {

namespace {

/// In the order of Function.
constexpr std::array<std::string_view, 51> kFunctions{"identity",   "abs",
                                                      "neg",        "exp",
                                                      "log",        "sqrt",
                                                      "reciprocal", "erf",
                                                      "sin",        "cos",
                                                      "tanh",       "sigmoid",
                                                      "softplus",   "sign",
                                                      "floor",      "ceil",
                                                      "round",      "not",
                                                      "is_nan",     "relu",
                                                      "hard_swish", "mish",
                                                      "softsign",   "gelu_erf",
                                                      "gelu_tanh",  "gelu_sigmoid",
                                                      "silu",       "leaky_relu",
                                                      "elu",        "hard_sigmoid",
                                                      "clip",       "cast",
                                                      "add",        "sub",
                                                      "mul",        "div",
                                                      "pow",        "min",
                                                      "max",        "mod",
                                                      "prelu",      "equal",
                                                      "less",       "less_or_equal",
                                                      "greater",    "greater_or_equal",
                                                      "and",        "or",
                                                      "xor",        "silu_gate",
                                                      "where"};
static_assert(kFunctions.size() == static_cast<std::size_t>(Function::kWhere) + 1);

/// In the order of Parameters.
constexpr std::array<std::string_view, 25> kTypes{
    "elementwise", "product",    "convolution",    "softmax",    "layer_norm",
    "rms_norm",    "group_norm", "rotary",         "gather",     "gather_elements",
    "scatter",     "reduce",     "top_k",          "copy",       "pad",
    "resize",      "pool",       "quantize",       "dequantize", "recurrent",
    "gather_nd",   "one_hot",    "cumulative_sum", "lstm_cell",  "gru_cell"};
static_assert(kTypes.size() == std::variant_size_v<Parameters>);

}  // namespace

std::string_view name_of(Function function) { return kFunctions[static_cast<std::size_t>(function)]; }

std::vector<std::string> operator_types() { return {kTypes.begin(), kTypes.end()}; }

std::string Operator::type() const {
  if (const auto* elementwise = std::get_if<Elementwise>(&parameters))
    return std::string(name_of(elementwise->function));
  return std::string(kTypes[parameters.index()]);
}

}  // namespace spica::network
