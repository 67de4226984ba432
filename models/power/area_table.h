// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "models/base/area.h"
#include "models/base/params.h"
#include "models/power/interval.h"
#include "models/power/table_entry.h"

namespace spica::power {

/// One entry: the size of a structure, its uncertainty, and the source.
struct StructureArea {
  double low = 0, nominal = 0, high = 0;
  bool doubtful = false;
  std::string source;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    describe_interval(p, field, "um2", base::Range{0, 1e9});
    field("doubtful", p.doubtful, "the source does not give these values itself: estimated from it");
    field("source", p.source, "where the values come from: title, year, table or figure");
  }
  template <class Report>
  static void check(const StructureArea& p, Report&& contradiction) {
    check_interval(p, contradiction);
  }
};

/// The relative size of the same circuit in another technology.
struct AreaScale {
  double technology_nm = 16, area = 1;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("technology_nm", p.technology_nm, "nm", base::Range{1, 250}, "a technology");
    field("area", p.area, "", base::Range{1e-4, 1e4},
          "area of a circuit there, in any unit that all entries share");
  }
};

/// Areas of one technology: an entry for each of base::kStructures.
class AreaTable {
 public:
  AreaTable() : structures_{std::vector<StructureArea>(base::kStructures.size())} {}

  double technology_nm = 16;
  std::string scaling_source;
  std::vector<AreaScale> scaling;

  const StructureArea& structure(base::Structure which) const {
    return structures_.entries[base::index_of(which)];
  }

  /// um2 of a structure in a technology: between two entries of `scaling` by linear interpolation of logarithms, beyond
  /// the last one by the square of the length.
  Interval square_micrometres(base::Structure which, double in_technology_nm) const;
  double scale_to(double in_technology_nm) const;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("technology_nm", p.technology_nm, "nm", base::Range{1, 250}, "technology the areas hold for");
    field("scaling_source", p.scaling_source, "where the ratios of technologies come from");
    field.list("scaling", p.scaling, "how areas of technologies compare, largest technology first");
    field.group("structures", p.structures_, "an area for each structure that blocks are made of");
  }
  template <class Report>
  static void check(const AreaTable& p, Report&& contradiction) {
    for (std::size_t i = 1; i < p.scaling.size(); ++i)
      if (p.scaling[i].technology_nm >= p.scaling[i - 1].technology_nm ||
          p.scaling[i].area >= p.scaling[i - 1].area)
        contradiction({"scaling." + std::to_string(i)},
                      "technologies and areas must decrease from entry to entry");
  }

 private:
  struct Structures {
    std::vector<StructureArea> entries;  // by Structure
    template <class Self, class Visit>
    static void describe(Self& p, Visit&& field) {
      for (std::size_t i = 0; i < base::kStructures.size(); ++i)
        field.group(base::kStructures[i].name, p.entries[i], base::kStructures[i].doc);
    }
  };
  Structures structures_;
};

}  // namespace spica::power
