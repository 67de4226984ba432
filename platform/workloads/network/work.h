// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platform/workloads/network/operators.h"

namespace spica::network {

/// Multiply-adds of a product or convolution; 0 of other operators.
std::uint64_t multiply_adds(const Operator& op);

}  // namespace spica::network
