// SPDX-License-Identifier: Apache-2.0
#include "models/power/area_table.h"

#include <cmath>

namespace spica::power {

namespace {

/// Area of a circuit in a technology, in the unit of the list.
double area_in(const std::vector<AreaScale>& scaling, double technology_nm) {
  if (scaling.empty()) return technology_nm * technology_nm;
  const auto beyond = [technology_nm](const AreaScale& last) {
    const double ratio = technology_nm / last.technology_nm;
    return last.area * ratio * ratio;
  };
  if (technology_nm >= scaling.front().technology_nm) return beyond(scaling.front());
  if (technology_nm <= scaling.back().technology_nm) return beyond(scaling.back());
  std::size_t below = 1;
  while (scaling[below].technology_nm > technology_nm) ++below;
  const AreaScale &large = scaling[below - 1], &small = scaling[below];
  const double place =
      std::log(technology_nm / small.technology_nm) / std::log(large.technology_nm / small.technology_nm);
  return small.area * std::pow(large.area / small.area, place);
}

}  // namespace

double AreaTable::scale_to(double in_technology_nm) const {
  return area_in(scaling, in_technology_nm) / area_in(scaling, technology_nm);
}

Interval AreaTable::square_micrometres(base::Structure which, double in_technology_nm) const {
  const StructureArea& entry = structure(which);
  return Interval{entry.low, entry.nominal, entry.high} * scale_to(in_technology_nm);
}

}  // namespace spica::power
