// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "platform/base/json/value.h"
#include "platform/studies/experiment/energy_sensitivity.h"

namespace spica::experiment {

/// For each comparison and kind of energy the entries of the energy table that move the ratio most.
void print_sensitivities(const std::vector<EnergySensitivity>& sensitivities);

/// All of them, a row for each entry.
json::Value sensitivity_rows(const std::vector<EnergySensitivity>& sensitivities);

}  // namespace spica::experiment
