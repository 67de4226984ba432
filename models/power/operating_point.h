// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/power/energy_table.h"
#include "models/power/power_params.h"

namespace spica::power {

/// Where a machine runs: what the energies of a table are scaled to.
struct OperatingPoint {
  double technology_nm = 16, voltage = 0.8, clock_mhz = 400;
  ClockGating clock_gating = ClockGating::kBlock;
};
/// The point that the parameters ask for; what they leave open is the table's.
OperatingPoint operating_point(const PowerParams& params, const EnergyTable& table, double clock_mhz);

/// Energy of the point's technology to that of the table: its exponent is an interval.
Interval technology_factor(const EnergyTable& table, double technology_nm);

/// The highest clock at a voltage, in MHz: the alpha-power law, delay ~ V / (V - threshold)^exponent.
double highest_mhz(const EnergyTable& table, double voltage);

/// What of the point, or of the fastest clock on the chip, the table does not hold for, with its range; empty: nothing.
std::string problem_of(const EnergyTable& table, const OperatingPoint& point, double fastest_mhz);

}  // namespace spica::power
