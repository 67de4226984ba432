// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "platform/profile/profile.h"

namespace spica::profile {

/// All rows of a profile. What is 0 is left out of `waits` and `shared`, `global` of rows without accesses.
nlohmann::ordered_json profile_json(const Profile& profile);

}  // namespace spica::profile
