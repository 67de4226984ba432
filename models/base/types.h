// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace spica::base {

/// A point in time or a duration, in cycles of the cluster clock.
using Cycle = std::uint64_t;

/// "No wake-up planned": later than every cycle a run can reach.
inline constexpr Cycle kNever = ~Cycle{0};

/// A guest physical address. The machine has 32 address bits; arithmetic past the end stays visible.
using Address = std::uint64_t;

}  // namespace spica::base
