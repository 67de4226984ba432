// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/observe/profile/profile.h"

namespace spica::profile {

/// "start;main;inner;[global_load] 1234": one line per chain of functions and reason, the reason's name last in
/// brackets. Input of flamegraph.pl, speedscope and other tools.
std::string folded_stacks(const Profile& profile);

/// The same as a self-contained SVG: outermost functions on top, width by cycles, numbers in tooltips. In a browser, a
/// click on a frame zooms in, a click on the top line zooms out.
std::string flame_graph(const Profile& profile, const std::string& title);

}  // namespace spica::profile
