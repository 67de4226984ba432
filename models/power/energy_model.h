// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "models/power/activity.h"
#include "models/power/energy_table.h"
#include "models/power/power_params.h"

namespace spica::power {

/// Where a machine runs: what the energies of a table are scaled to.
struct OperatingPoint {
  double technology_nm = 16, voltage = 0.8, clock_mhz = 400;
};
/// The point that the parameters ask for; what they leave open is the table's.
OperatingPoint operating_point(const PowerParams& params, const EnergyTable& table, double clock_mhz);

/// A part of the machine: the sum of what is below it, or one place.
struct EnergyNode {
  std::string name;
  Interval active;  // pJ: events
  Interval idle;    // pJ: clock and leakage
  std::vector<EnergyNode> children;
  std::string unit =
      {};  // of a block: what all of its kind are together; empty: a part of one, or a box of several

  const EnergyNode* find(const std::string& path) const;  // "cluster_0/core_1"
};

/// Events times energies. Dynamic energies follow (technology ratio)^exponent and voltage^2, clock power also
/// the frequency, leakage voltage^exponent.
class EnergyModel {
 public:
  EnergyModel(const EnergyTable& table, const OperatingPoint& point);

  const OperatingPoint& point() const { return point_; }
  /// pJ per event, by index in event_kinds().
  const Interval& per_event(std::size_t kind) const { return events_[kind]; }
  /// mW of a block, by index in idle_kinds(): its clock, and leakage.
  Interval idle_clock(std::size_t kind, const Block& block) const { return idle_clock_[kind] * block.clock; }
  const Interval& idle_leakage(std::size_t kind) const { return idle_leakage_[kind]; }
  Interval idle_power(std::size_t kind, const Block& block) const {
    return idle_clock(kind, block) + idle_leakage(kind);
  }

  /// pJ of all events on the chip, or off it.
  Interval active(const Activity& activity, const std::vector<double>& counts, bool on_chip) const;
  /// mW of the whole machine with nothing to do.
  Interval idle(const Activity& activity) const;
  double seconds(double cycles) const { return cycles / (point_.clock_mhz * 1e6); }

  /// Energy of `counts` (by channel) in `cycles`, as a tree: "soc" and "dram" below a root without name.
  EnergyNode tree(const Activity& activity, const std::vector<double>& counts, double cycles) const;

 private:
  OperatingPoint point_;
  std::vector<Interval> events_, idle_clock_, idle_leakage_;
};

}  // namespace spica::power
