// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/observe/report/sensitivity.h"
#include "platform/studies/experiment/experiment.h"

namespace spica::experiment {

/// The sensitivity of the energy ratio of two designs at one size.
struct EnergySensitivity {
  std::string size, design, reference;
  report::EnergyKind kind;
  report::Sensitivity found;
};

/// For the comparisons at every size for which both cells are verified; from energy.json in their folders.
std::vector<EnergySensitivity> energy_sensitivities(const std::vector<CellResult>& results,
                                                    const std::vector<sweep::DesignPair>& comparisons);

}  // namespace spica::experiment
