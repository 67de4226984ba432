// SPDX-License-Identifier: Apache-2.0
// Errors that kernels may make in functions of elements.
#pragma once

#include "platform/workloads/network/operators.h"

namespace spica::network {

/// The magnitude of which an error is a multiple of a step, for a function with value `y` of a and b.
double magnitude(const Elementwise& operation, double y, double a, double b);
/// Whether results have no error but that of their type.
bool is_exact(Function function);

}  // namespace spica::network
