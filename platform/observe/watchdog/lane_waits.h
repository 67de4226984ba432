// SPDX-License-Identifier: Apache-2.0
// Lanes of one warp that wait for each other.
#pragma once

#include <cstdint>
#include <string>

#include "platform/observe/watchdog/wait_graph.h"

namespace spica::watchdog {

/// Lanes of a spinning warp that wait while the others spin, and the place.
struct WaitingLanes {
  std::uint32_t lanes = 0, pc = 0;  // none: 0
  bool parked = false;              // see WarpFact::Split
};
WaitingLanes waiting_lanes(const WarpFact& warp);

/// Lanes that spin; where there are no splits, all that went through the loops while they were watched.
std::uint32_t spinning_lanes(const WarpFact& warp);

/// Who changed the words last that the warp polls, with atomics: "; lock (0x80001000), for which lanes 1-7 spin, is
/// held by lane 0 of the same warp". "" when that is not known.
std::string holders_text(const WarpFact& warp, const HangFacts& facts, const Names& names);

/// A lane of the same warp holds what others of it spin for.
bool warp_holds(const WarpFact& warp, const HangFacts& facts);

/// "lane 3", "lanes 0-2".
std::string lanes_name(std::uint32_t lanes);

}  // namespace spica::watchdog
