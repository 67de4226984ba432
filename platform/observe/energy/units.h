// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/power/energy_model.h"

namespace spica::energy {

inline constexpr double kMicrojoule = 1e-6;  // per pJ

/// The units of the chip, whatever cluster they are in, all of a kind as one: "cores", "matrix_unit", "l2" ...
/// `soc` is the node of that name in the tree of a machine.
power::EnergyNode units_of(const power::EnergyNode& soc);

}  // namespace spica::energy
