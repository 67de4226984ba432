// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/power/energy_model.h"

namespace spica::energy {

inline constexpr double kMicrojoule = 1e-6;  // uJ per pJ

/// The units of the chip, summed over clusters and over blocks of a kind: "cores", "matrix_unit", "l2" ... `soc`: the
/// node of that name in the tree of a machine.
power::EnergyNode units_of(const power::EnergyNode& soc);

}  // namespace spica::energy
