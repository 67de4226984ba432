// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/observe/profile/profile.h"

namespace spica::profile {

/// "start;main;inner;[global_load] 1234": a line per chain of functions and reason, what the reason is about last
/// in brackets. For flamegraph.pl, speedscope and others.
std::string folded_stacks(const Profile& profile);

/// The same as a drawing that needs nothing else: outermost functions on top, what a frame took as its width,
/// its numbers in a tooltip. In a browser a click widens a frame, a click on the top line goes back.
std::string flame_graph(const Profile& profile, const std::string& title);

}  // namespace spica::profile
