// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/power/activity.h"

namespace spica::soc {
class MeasuredMachine;
}

namespace spica::energy {

/// The blocks of a machine as the power observer needs them: types, places in the tree, sizes.
std::vector<power::Block> blocks_of(soc::MeasuredMachine& soc);

/// The block types that a machine can have, including those of plugins. The caller must be linked with the machine,
/// which registers its types.
const std::vector<const base::BlockType*>& machine_types();

}  // namespace spica::energy
