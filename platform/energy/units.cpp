// SPDX-License-Identifier: Apache-2.0
#include "platform/energy/units.h"

#include <algorithm>
#include <string>

namespace spica::energy {

using power::EnergyNode;

namespace {

/// "core_2" and its like become "cores": the summary shows machines, the document every block.
std::string plural(const std::string& name) {
  const std::size_t score = name.rfind('_');
  if (score == std::string::npos || score + 1 == name.size() ||
      !std::all_of(name.begin() + static_cast<std::ptrdiff_t>(score) + 1, name.end(),
                   [](char c) { return c >= '0' && c <= '9'; }))
    return name;
  const std::string stem = name.substr(0, score);
  return stem == "core" ? "cores" : stem;
}

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

}  // namespace

EnergyNode units_of(const EnergyNode& soc) {
  EnergyNode units;
  const auto add = [&](const EnergyNode& unit) {
    EnergyNode wrapped;
    wrapped.children.push_back(unit);
    wrapped.children.front().name = plural(unit.name);
    merge(units, wrapped);
  };
  for (const EnergyNode& node : soc.children) {
    if (node.name.compare(0, 8, "cluster_") != 0) add(node);
    else
      for (const EnergyNode& unit : node.children) add(unit);
  }
  return units;
}

std::string unit_of(const power::Block& block) {
  if (block.type == "tensor_core" || block.type == "decoupled_tensor_core") return "tensor_cores";
  const std::string soc = "soc/";
  if (block.node.compare(0, soc.size(), soc) != 0) return "";
  std::string rest = block.node.substr(soc.size());
  if (rest.compare(0, 8, "cluster_") == 0) rest = rest.substr(rest.find('/') + 1);
  return plural(rest.substr(0, rest.find('/')));
}

}  // namespace spica::energy
