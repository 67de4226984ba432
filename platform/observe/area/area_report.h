// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/base/area.h"
#include "models/power/area_table.h"
#include "models/power/power_params.h"
#include "platform/base/json/value.h"

namespace spica::soc {
class MeasuredMachine;
}

namespace spica::area {

/// A part of a block: an amount of a structure.
struct Part {
  std::string name;
  base::Structure structure = base::Structure::kFlopBit;
  double amount = 0;
  power::Interval mm2;
};

/// A block and the structures it consists of.
struct BlockArea {
  std::string name;  // "cluster_0.core_1"
  std::string type;
  unsigned order = 0;  // of its type, for sorting
  std::string unit;  // name of the sum of all blocks of its kind: "cores", "dcache"
  std::vector<Part> parts;
  power::Interval mm2;
};

/// All blocks of a kind.
struct UnitArea {
  std::string name;
  unsigned order = 0;  // of its first type, for sorting
  unsigned blocks = 0;
  power::Interval mm2;
  std::vector<Part> parts;  // equal parts summed, in the order of the blocks
};

/// The area of a machine without off-chip parts.
struct AreaReport {
  double technology_nm = 16;
  std::vector<BlockArea> blocks;
  std::vector<std::string> unknown;  // on-chip blocks without an area and without a stated reason
  power::Interval mm2;

  /// Removes the blocks of a type.
  void leave_out(std::string_view type);
  /// In the order of their types.
  std::vector<UnitArea> units() const;
};

/// In the technology of `params`; 0: that of the table.
AreaReport area_report(soc::MeasuredMachine& soc, const power::AreaTable& table,
                       const power::PowerParams& params);

/// {technology_nm, area_mm2, units: [...], blocks: [{block, type, unit, area_mm2, parts: [...]}]}
json::Value area_json(const AreaReport& report);

}  // namespace spica::area
