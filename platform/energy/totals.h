// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "platform/energy/energy_report.h"
#include "platform/json/value.h"

namespace spica::energy {

/// A run's window as one number each: active energy, idle energy of the same time, and DRAM with its standby.
struct Totals {
  power::Interval power_mw, energy_uj;
  power::Interval edp_uj_us;  // energy times time
  /// Energy over the program's multiply-adds; absent when they are not known.
  std::optional<power::Interval> pj_per_mac;
  std::optional<std::uint64_t> multiply_adds;
  bool has_dram = true;  // false: the machine's main memory has no energies, and counts as 0
};

/// `multiply_adds` of the program, not of the units.
Totals totals(const EnergyReport& report, std::optional<std::uint64_t> multiply_adds);

/// {total_power_mw, total_energy_uj, edp_uj_us, pj_per_mac, multiply_adds, has_dram}; null where not known.
json::Value totals_json(const Totals& totals);
/// The first four as plain numbers, for stats.json: nominal values.
json::Value nominal_json(const Totals& totals);

}  // namespace spica::energy
