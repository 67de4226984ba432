// SPDX-License-Identifier: Apache-2.0
// Functions of elements on the host: to fold constants, and as a reference in double precision.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "platform/workloads/network/node_scope.h"
#include "platform/workloads/network/operators.h"

namespace spica::network {

/// The value for real inputs; `b` and `c` are ignored by functions that do not have them.
double evaluate(const Elementwise& operation, double a, double b, double c);
/// The value for integer inputs: exact, wrapping in 64 bits. Empty: the function has no integer form, or divides by zero.
std::optional<std::int64_t> evaluate_integer(const Elementwise& operation, std::int64_t a, std::int64_t b,
                                             std::int64_t c);
/// Whether the result is true or false for any type of input.
bool is_predicate(Function function);
/// 1, 2 or 3.
unsigned inputs_of(Function function);

/// Whether a node type is in the list of elementwise operators.
bool is_elementwise(std::string_view node_type);
/// The function of a node of the elementwise list (node_types.h). Throws NodeError for an attribute or limit that is not
/// supported.
Elementwise elementwise_of(const NodeScope& scope);

}  // namespace spica::network
