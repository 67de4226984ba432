// SPDX-License-Identifier: Apache-2.0
// Lanes of one warp that wait for each other.
#pragma once

#include <cstdint>
#include <string>

#include "platform/observe/watchdog/wait_graph.h"

namespace spica::watchdog {

/// Lanes of a spinning warp that wait while the others spin, and the place.
struct WaitingLanes {
  std::uint32_t lanes = 0, pc = 0;  // 0: none
  bool parked = false;              // see WarpFact::Split
};
WaitingLanes waiting_lanes(const WarpFact& warp);

/// Lanes that spin; without splits, all lanes in the loops during the window.
std::uint32_t spinning_lanes(const WarpFact& warp);

/// Names the lanes whose atomics last changed the words that the warp polls: "; lock (0x80001000), for which lanes 1-7
/// spin, is held by lane 0 of the same warp". "" if unknown.
std::string holders_text(const WarpFact& warp, const HangFacts& facts, const Names& names);

/// True if a lane of the same warp holds what other lanes of it spin for.
bool warp_holds(const WarpFact& warp, const HangFacts& facts);

/// "lane 3", "lanes 0-2".
std::string lanes_name(std::uint32_t lanes);

}  // namespace spica::watchdog
