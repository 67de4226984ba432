// SPDX-License-Identifier: Apache-2.0
// Names of warps and cores in reports.
#pragma once

#include <string>
#include <vector>

#include "platform/observe/watchdog/hang_facts.h"

namespace spica::watchdog {

/// "core 0, warp 3".
std::string warp_name(const WarpFact& warp);
/// "core 0, warp 1", "cores 0-2, warps 0-7; core 3, warp 0". The warps must be in order of core and warp.
std::string warp_names(const std::vector<const WarpFact*>& warps);
/// "warp 2", "warps 0-3, 6" for what = "warp"; ascending numbers.
std::string counted(const char* what, const std::vector<unsigned>& numbers);

}  // namespace spica::watchdog
