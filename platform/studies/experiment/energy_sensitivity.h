// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/observe/report/sensitivity.h"
#include "platform/studies/experiment/experiment.h"

namespace spica::experiment {

/// What moves the ratio of two designs' energies at one size.
struct EnergySensitivity {
  std::string size, design, reference;
  report::EnergyKind kind;
  report::Sensitivity found;
};

/// For the comparisons at every size of which both cells are verified; read from energy.json in their folders.
std::vector<EnergySensitivity> energy_sensitivities(const std::vector<CellResult>& results,
                                                    const std::vector<sweep::DesignPair>& comparisons);

}  // namespace spica::experiment
