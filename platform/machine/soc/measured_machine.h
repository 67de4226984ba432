// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "models/base/component.h"
#include "models/protocol/ports/line_profile.h"
#include "platform/machine/soc/machine.h"
#include "platform/machine/soc/region_probe.h"

namespace spica::soc {

/// What the cycle mode measures of a machine: the statistics of its blocks and the timed region. The fast mode has none.
class MeasuredMachine final {
 public:
  /// Takes the markers of the program, as an object named "marker" of the module under construction.
  explicit MeasuredMachine(Machine& machine);

  /// Measures these blocks of the machine, in tick order, and counts by line what these cores execute. The region becomes the
  /// first block of the machine's clock.
  void begin(std::vector<base::Component*> blocks, std::vector<protocol::LineProfiled*> cores);

  Machine& machine() const { return machine_; }
  /// A block's name within the machine: "cluster_0.core_1".
  std::string short_name(const base::Component& block) const;
  /// All blocks in tick order.
  const std::vector<base::Component*>& components() const { return components_; }
  /// The part of the run between the program's markers.
  RegionProbe& region() { return region_; }
  const RegionProbe& region() const { return region_; }
  /// Starts per-instruction counting in all cores.
  void start_profile();
  /// The counts of a core; nullptr before start_profile().
  const protocol::LineProfile* profile(unsigned core) const { return profiled_[core]->profile(); }
  /// Updates lazy counters. Call before counters are read during the run.
  void catch_up();
  /// Charges all time so far. Throws std::logic_error unless every account of every block has charged each cycle of the
  /// run, and of the timed region, exactly once.
  void settle();

 private:
  Machine& machine_;
  RegionProbe region_;
  std::vector<base::Component*> components_;
  std::vector<protocol::LineProfiled*> profiled_;  // by core
};

}  // namespace spica::soc
