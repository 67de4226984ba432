// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/power/activity.h"

namespace spica::soc {
class Soc;
}

namespace spica::energy {

/// The blocks of a machine as the power observer sees them: types, places in the tree, sizes.
std::vector<power::Block> blocks_of(soc::Soc& soc);

}  // namespace spica::energy
