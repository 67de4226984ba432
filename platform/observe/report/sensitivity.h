// SPDX-License-Identifier: Apache-2.0
// The sensitivity of a ratio of two energies to the entries of the energy table.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/json/value.h"

namespace spica::report {

/// An entry of the energy table, and the ratio of two energies with it at the ends of its range and all other entries
/// at their nominal values.
struct Influence {
  std::string coefficient;  // "core.issue", "idle.l2.clock", "prior.l1", "calibration.instruction_overhead"
  bool doubtful = false;
  bool stated = true;  // the range is the table's; false: it is +-30 %
  unsigned entries = 1;  // number of entries that change together
  std::string unit;  // of low, nominal and high: "pJ", "mW", or none
  double low = 0, nominal = 0, high = 0;  // for several entries: all 0
  double ratio_at_low = 0, ratio_at_high = 0;

  double swing() const {
    return ratio_at_high > ratio_at_low ? ratio_at_high - ratio_at_low : ratio_at_low - ratio_at_high;
  }
};

struct Sensitivity {
  double ratio = 0;  // with all entries at their nominal values
  std::vector<Influence> influences;  // those that change it, strongest first
};

/// The energies whose ratio is taken.
enum class EnergyKind { kActive, kTotal };
inline constexpr EnergyKind kEnergyKinds[] = {EnergyKind::kActive, EnergyKind::kTotal};
std::string_view name_of(EnergyKind kind);  // "active_energy", "total_energy"

/// Energies are sums of counts times entries, so no run is needed: `run` and `base` are two energy.json. Empty if they
/// were measured with different tables, or one of them has another version. Entries with the same prior are also
/// changed together, as prior.NAME, and the calibrated ones as calibration.instruction_overhead.
std::optional<Sensitivity> sensitivity(const json::Value& run, const json::Value& base, EnergyKind kind);

/// [{coefficient, entries, unit, low, nominal, high, range, doubtful, ratio, ratio_at_low, ratio_at_high, swing}],
/// strongest first.
json::Value sensitivity_json(const Sensitivity& found);

}  // namespace spica::report
