// SPDX-License-Identifier: Apache-2.0
#include "models/power/operating_point.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace spica::power {

namespace {

std::string four_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string megahertz(double value) { return std::to_string(std::llround(value)) + " MHz"; }

}  // namespace

OperatingPoint operating_point(const PowerParams& params, const EnergyTable& table, double clock_mhz) {
  return {params.technology_nm > 0 ? params.technology_nm : table.technology_nm,
          params.voltage > 0 ? params.voltage : table.voltage, clock_mhz, params.clock_gating};
}

Interval technology_factor(const EnergyTable& table, double technology_nm) {
  const double ratio = technology_nm / table.technology_nm, error = table.technology_exponent_error;
  const double a = std::pow(ratio, table.technology_exponent - error);
  const double b = std::pow(ratio, table.technology_exponent + error);
  return {std::min(a, b), std::pow(ratio, table.technology_exponent), std::max(a, b)};
}

double highest_mhz(const EnergyTable& table, double voltage) {
  const HighestClock& law = table.highest_clock;
  const auto speed = [&law](double at) {
    return at > law.threshold ? std::pow(at - law.threshold, law.exponent) / at : 0;
  };
  const double reference = speed(table.voltage);
  return reference > 0 ? law.mhz * speed(voltage) / reference : 0;
}

std::string problem_of(const EnergyTable& table, const OperatingPoint& point, double fastest_mhz) {
  const HighestClock& law = table.highest_clock;
  if (law.mhz == 0) return "";
  if (point.voltage < law.lowest_voltage || point.voltage > law.highest_voltage)
    return "power.voltage: " + four_digits(point.voltage) + " V is outside the range of the energy table, " +
           four_digits(law.lowest_voltage) + " to " + four_digits(law.highest_voltage) + " V";
  const double highest = highest_mhz(table, point.voltage);
  if (fastest_mhz <= highest) return "";
  return "clock_mhz: " + megahertz(fastest_mhz) + " is above the highest clock of the energy table, " +
         megahertz(highest) + " at " + four_digits(point.voltage) + " V (" +
         megahertz(highest_mhz(table, law.lowest_voltage)) + " at " + four_digits(law.lowest_voltage) +
         " V to " + megahertz(highest_mhz(table, law.highest_voltage)) + " at " +
         four_digits(law.highest_voltage) + " V)";
}

}  // namespace spica::power
