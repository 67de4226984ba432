// SPDX-License-Identifier: Apache-2.0
// Which entry of the energy table the ratio of two runs' energies depends on.
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
  bool stated = true;  // the table gives the range; false: it was moved 30 % either way
  unsigned entries = 1;  // how many move together
  std::string unit;  // of the three values: "pJ", "mW", or none
  double low = 0, nominal = 0, high = 0;  // of several entries: all 0
  double ratio_at_low = 0, ratio_at_high = 0;

  double swing() const {
    return ratio_at_high > ratio_at_low ? ratio_at_high - ratio_at_low : ratio_at_low - ratio_at_high;
  }
};

struct Sensitivity {
  double ratio = 0;  // all entries at their nominal values
  std::vector<Influence> influences;  // those that move it, the strongest first
};

/// What the ratio is of.
enum class EnergyKind { kActive, kTotal };
inline constexpr EnergyKind kEnergyKinds[] = {EnergyKind::kActive, EnergyKind::kTotal};
std::string_view name_of(EnergyKind kind);  // "active_energy", "total_energy"

/// Energies are sums of counts times entries, so no run is needed: `run` and `base` are two energy.json. Absent when
/// they were measured with different tables, or one of them is of another version. Entries with the same prior are also
/// moved together, as prior.NAME, and those that are calibrated, as calibration.instruction_overhead.
std::optional<Sensitivity> sensitivity(const json::Value& run, const json::Value& base, EnergyKind kind);

/// [{coefficient, entries, unit, low, nominal, high, range, doubtful, ratio, ratio_at_low, ratio_at_high, swing}],
/// strongest first.
json::Value sensitivity_json(const Sensitivity& found);

}  // namespace spica::report
