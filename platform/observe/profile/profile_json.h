// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/base/json/value.h"
#include "platform/observe/profile/profile.h"

namespace spica::profile {

/// All rows of a profile. Reasons without cycles are omitted, as are `shared` and `global` in rows without such
/// accesses.
json::Value profile_json(const Profile& profile);

}  // namespace spica::profile
