// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "platform/base/json/value.h"
#include "platform/observe/energy/energy_report.h"

namespace spica::energy {

/// The energy of a run's timed region, with its parts.
struct Totals {
  power::Interval power_mw, energy_uj;
  power::Interval active_uj;              // of events on the chip
  power::Interval leakage_uj, clock_uj;   // idle power of the chip over the region
  power::Interval dram_uj;                // accesses and standby
  power::Interval active_mw;
  power::Interval edp_uj_us;  // energy times time
  /// Energy per multiply-add of the program; empty if their number is unknown.
  std::optional<power::Interval> pj_per_mac;
  std::optional<std::uint64_t> multiply_adds;
  bool has_dram = true;  // false: the main memory has no energies and counts as 0
};

/// `multiply_adds` of the program, not of the units.
Totals totals(const EnergyReport& report, std::optional<std::uint64_t> multiply_adds);

/// {total_power_mw, total_energy_uj, active_energy_uj, leakage_energy_uj, clock_energy_uj, dram_energy_uj,
/// active_power_mw, edp_uj_us, pj_per_mac, multiply_adds, has_dram}; null if unknown.
json::Value totals_json(const Totals& totals);
/// The same intervals as plain numbers, for stats.json: NAME is the nominal value, NAME_low and NAME_high are the ends.
json::Value plain_json(const Totals& totals);

}  // namespace spica::energy
