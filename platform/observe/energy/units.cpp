// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/units.h"

#include <algorithm>

namespace spica::energy {

using power::EnergyNode;

namespace {

/// Adds `from` to `to`, children by name.
void merge(EnergyNode& to, const EnergyNode& from) {
  to.active += from.active;
  to.idle += from.idle;
  for (const EnergyNode& child : from.children) {
    auto place = std::find_if(to.children.begin(), to.children.end(),
                              [&](const EnergyNode& known) { return known.name == child.name; });
    if (place == to.children.end()) place = to.children.insert(place, EnergyNode{child.name, {}, {}, {}});
    merge(*place, child);
  }
}

void add_units(EnergyNode& units, const EnergyNode& box) {
  for (const EnergyNode& node : box.children) {
    if (node.unit.empty()) {
      add_units(units, node);
      continue;
    }
    EnergyNode wrapped;
    wrapped.children.push_back(node);
    wrapped.children.front().name = node.unit;
    merge(units, wrapped);
  }
}

}  // namespace

EnergyNode units_of(const EnergyNode& soc) {
  EnergyNode units;
  add_units(units, soc);
  return units;
}

}  // namespace spica::energy
