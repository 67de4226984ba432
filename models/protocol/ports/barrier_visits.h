// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace spica::protocol {

/// The recorded arrivals of a warp at one barrier of its core, for hang reports.
struct BarrierVisits {
  std::uint32_t arrivals = 0;
  std::uint32_t last_pc = 0, previous_pc = 0;
  /// The first time that only this warp arrived at another pc than all others that completed the barrier with it: its
  /// pc and theirs. 0: never.
  std::uint32_t odd_pc = 0, others_pc = 0;
};

}  // namespace spica::protocol
