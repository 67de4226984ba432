// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/observe/profile/profile_text.h"

namespace spica::soc {
class MeasuredMachine;
}

namespace spica::job {

/// Checks that the profile charges every cycle of every issue slot to the same reason as the cores. Throws
/// std::logic_error.
void check_profile(const profile::Profile& profile, soc::MeasuredMachine& soc);

/// Writes profile.txt (tables), profile.json, stacks.folded and flame.svg into a folder.
void write_profile(const std::string& folder, const profile::Profile& profile,
                   const profile::TextOptions& options, const std::string& title);

}  // namespace spica::job
