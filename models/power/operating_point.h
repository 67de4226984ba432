// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/power/energy_table.h"
#include "models/power/power_params.h"

namespace spica::power {

/// The operating point of a machine, to which the energies of a table are scaled.
struct OperatingPoint {
  double technology_nm = 16, voltage = 0.8, clock_mhz = 400;
  ClockGating clock_gating = ClockGating::kBlock;
};
/// The operating point of the parameters; values that they leave open are the table's.
OperatingPoint operating_point(const PowerParams& params, const EnergyTable& table, double clock_mhz);

/// Energy at the point's technology relative to that of the table; an interval, because the exponent is one.
Interval technology_factor(const EnergyTable& table, double technology_nm);

/// The highest clock at a voltage, in MHz: the alpha-power law, delay ~ V / (V - threshold)^exponent.
double highest_mhz(const EnergyTable& table, double voltage);

/// Values of the point, or of the fastest clock on the chip, that are outside the range of the table, with that range;
/// empty: none.
std::string problem_of(const EnergyTable& table, const OperatingPoint& point, double fastest_mhz);

}  // namespace spica::power
