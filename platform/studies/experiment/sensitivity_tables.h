// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "platform/base/json/value.h"
#include "platform/studies/experiment/energy_sensitivity.h"

namespace spica::experiment {

/// Prints, for each comparison and kind of energy, the entries of the energy table that change the ratio most.
void print_sensitivities(const std::vector<EnergySensitivity>& sensitivities);

/// All entries, one row each.
json::Value sensitivity_rows(const std::vector<EnergySensitivity>& sensitivities);

}  // namespace spica::experiment
