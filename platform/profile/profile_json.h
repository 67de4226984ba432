// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "platform/profile/profile.h"

namespace spica::profile {

/// All rows of a profile. Reasons without cycles are left out, and `shared` and `global` of rows
/// without such accesses.
nlohmann::ordered_json profile_json(const Profile& profile);

}  // namespace spica::profile
