// SPDX-License-Identifier: Apache-2.0
// The description of the multicast unit for reports: type, properties, area.
#include "models/multicast/multicast_unit.h"

namespace spica::multicast {

namespace {

base::BlockType make_type() {
  base::BlockType type;
  type.name = "multicast";
  type.order = 66;
  type.events = {{"multicast.load",
                  {{"loads"}},
                  "load",
                  "",
                  {},
                  "marked loads: an entry of the table is written or read, and the request queue"},
                 {"multicast.compare",
                  {{"compared_entries"}},
                  "entry",
                  "",
                  {},
                  "entries of the table that a load is compared with"}};
  type.meters = {{"multicast", "count", {"loads", "multicasts"}}};
  type.timeline_counters = {"multicasts"};
  return type;
}

}  // namespace

const base::BlockType& MulticastUnit::block_type() {
  static const base::BlockType type = make_type();
  return type;
}

/// Warp 6 bits, address 16, two registers of 8 (lee section 3.3); a comparison for each entry.
base::AreaTerms MulticastUnit::area() const {
  constexpr double kEntryBits = 6 + 16 + 8 + 8;
  const auto entries = static_cast<double>(params_.entries), queue = static_cast<double>(params_.queue);
  base::AreaTerms area;
  area.add_array("table", base::Structure::kRegisterBit, entries * kEntryBits, 1, kEntryBits)
      .add("comparators", base::Structure::kCompareBit, entries * kEntryBits)
      .add("queue", base::Structure::kRegisterBit, queue * kEntryBits)
      .add_crossbar("second_write", static_cast<double>(params_.cores), static_cast<double>(params_.cores),
                    8 * 128);
  return area;
}

namespace {
const base::KnownBlockType known(MulticastUnit::block_type());
}

}  // namespace spica::multicast
