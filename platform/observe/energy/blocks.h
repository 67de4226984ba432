// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/power/activity.h"

namespace spica::soc {
class MeasuredMachine;
}

namespace spica::energy {

/// The blocks of a machine as the power observer sees them: types, places in the tree, sizes.
std::vector<power::Block> blocks_of(soc::MeasuredMachine& soc);

/// The types of block that a machine can have, and those of plugins. The callers have the machine in the program, and
/// so all of its types.
const std::vector<const base::BlockType*>& machine_types();

}  // namespace spica::energy
