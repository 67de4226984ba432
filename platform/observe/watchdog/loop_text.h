// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/observe/watchdog/hang_facts.h"
#include "platform/observe/watchdog/hang_watch.h"

namespace spica::watchdog {

/// The loop of each running warp in the last window, one line each; "" if there is none.
std::string loops_text(const HangFacts& facts, const Names& names);

/// A warning while the run continues; ends with a newline.
std::string long_loop_text(const HangWatch::LongLoop& found, const Names& names);

}  // namespace spica::watchdog
