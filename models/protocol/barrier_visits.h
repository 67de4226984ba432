// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace spica::protocol {

/// What is known of the arrivals of a warp at one barrier of its core; for reports of programs that hang.
struct BarrierVisits {
  std::uint32_t arrivals = 0;
  std::uint32_t last_pc = 0, previous_pc = 0;
  /// The first time that this warp alone arrived at another place than all others that completed the barrier with it:
  /// its place and theirs. 0: there was none.
  std::uint32_t odd_pc = 0, others_pc = 0;
};

}  // namespace spica::protocol
