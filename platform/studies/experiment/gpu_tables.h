// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "platform/studies/experiment/experiment.h"

namespace spica::experiment {

/// For the cells on machines with a crossbar: what was simulated, the host's seconds, and a line of limits with the use
/// of network, slices and channels. Nothing for other machines.
void print_gpus(const std::vector<CellResult>& results);

}  // namespace spica::experiment
