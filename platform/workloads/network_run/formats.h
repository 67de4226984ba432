// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "platform/workloads/network/operators.h"

namespace spica::network {

/// Gives each tensor that is FP32 or FP64 in the file its format in memory: that of the operator that writes it or, for
/// constants, reads it; inputs have `otherwise`. Adds casts in front of operators with operands of another format, and
/// copies of constants that operators of several formats read. `formats`: by operator, as far as a user has chosen one;
/// others have `otherwise`, and operators that only move elements the format of their operand. Returns the new places of
/// operators.
std::vector<std::size_t> apply_formats(Network& network,
                                       const std::vector<std::optional<ElementType>>& formats,
                                       ElementType otherwise);

}  // namespace spica::network
