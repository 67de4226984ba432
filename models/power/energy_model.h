// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "models/power/activity.h"
#include "models/power/area_table.h"
#include "models/power/device_energies.h"
#include "models/power/energy_table.h"
#include "models/power/operating_point.h"

namespace spica::power {

/// A part of the machine: the sum of its children, or a leaf.
struct EnergyNode {
  std::string name;
  Interval active;  // pJ: events
  Interval idle;    // pJ: clock and leakage
  std::vector<EnergyNode> children;
  std::string unit =
      {};  // unit of a block: the name of the sum of all of its kind; empty: part of a block, or a group of blocks

  const EnergyNode* find(const std::string& path) const;  // "cluster_0/core_1"
};

/// Events times energies. Each energy is scaled by its law to the sizes of its block, once, in the constructor. Dynamic
/// energies then scale with (technology ratio)^exponent and voltage^2, clock power also with the frequency, leakage
/// with voltage^exponent.
class EnergyModel {
 public:
  /// A model of a table alone: its entries at the sizes for which they hold.
  EnergyModel(const EnergyTable& table, const OperatingPoint& point);
  /// A model of a machine with off-chip memory `device`; nullptr: the table's energies. Throws std::invalid_argument if
  /// an entry's law reads a size of a part that the block does not have, or the operating point is outside the range of
  /// the table.
  EnergyModel(const EnergyTable& table, const OperatingPoint& point, const Activity& activity,
              const AreaTable& areas, const DeviceEnergies* device = nullptr);

  const OperatingPoint& point() const { return point_; }
  /// pJ per event at the sizes of the table, by index in event_kinds().
  const Interval& per_event(std::size_t kind) const { return events_[kind]; }
  /// pJ per event of a block, and how its law scaled it, by index in Activity::channels().
  const Interval& of_channel(std::size_t channel) const { return channels_[channel]; }
  const Scaling& scaling(std::size_t channel) const { return scalings_[channel]; }
  /// mW of a block, by index in idle_kinds(): its clock, and leakage. Without a machine: at the sizes of the table.
  Interval idle_clock(std::size_t kind, const Block& block) const;
  Interval idle_leakage(std::size_t kind, const Block& block) const;
  Interval idle_power(std::size_t kind, const Block& block) const {
    return idle_clock(kind, block) + idle_leakage(kind, block);
  }

  /// The blocks of a type have no idle power from now on.
  void leave_out(const Activity& activity, const base::BlockType& type);

  /// pJ of all events on the chip, or off it.
  Interval active(const std::vector<double>& counts, bool on_chip) const;
  /// pJ of all events of each kind, by index in event_kinds().
  std::vector<Interval> by_kind(const Activity& activity, const std::vector<double>& counts) const;
  /// mW of the whole machine when idle.
  Interval idle() const;
  /// mW of a block on the chip, by index in Activity::blocks().
  const Interval& idle_of(std::size_t block) const { return idle_[block]; }
  /// mW of all off-chip parts when idle.
  Interval standby() const;
  double seconds(double cycles) const { return cycles / (point_.clock_mhz * 1e6); }

  /// Energy of `counts` (by channel) in `cycles`, as a tree: "soc" and "dram" below a root without name.
  EnergyNode tree(const Activity& activity, const std::vector<double>& counts, double cycles) const;

 private:
  const EnergyTable& table_;
  const AreaTable* areas_ = nullptr;
  OperatingPoint point_;
  std::vector<Interval> events_, idle_clock_, idle_leakage_;  // by kind
  std::vector<Interval> channels_;  // by channel
  std::vector<bool> is_off_chip_;  // by channel
  std::vector<Interval> idle_, standby_;  // by block; one of the two is 0
  std::vector<Scaling> scalings_;
};

}  // namespace spica::power
