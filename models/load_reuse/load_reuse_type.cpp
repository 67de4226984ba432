// SPDX-License-Identifier: Apache-2.0
// The description of the reuse of loads for reports: type, properties, area.
#include <cmath>

#include "models/load_reuse/load_reuse.h"

namespace spica::load_reuse {

namespace {

base::BlockType make_type() {
  base::BlockType type;
  type.name = "load_reuse";
  type.order = 28;
  type.inside = "core";
  type.parameters = "core";
  type.events = {{"load_reuse.load",
                  {{"loads"}},
                  "load",
                  "issue/load_reuse",
                  {},
                  "an entry of the table is written or read"},
                 {"load_reuse.compare",
                  {{"compared_entries"}},
                  "entry",
                  "issue/load_reuse",
                  {},
                  "entries of the table that a load is compared with"},
                 {"load_reuse.rename",
                  {{"renames"}},
                  "fragment",
                  "issue/load_reuse",
                  {},
                  "a fragment gets another place: an entry of the map, and the counts of both places"}};
  type.meters = {{"load_reuse", "count", {"loads", "reused"}}};
  type.timeline_counters = {"reused"};
  return type;
}

}  // namespace

const base::BlockType& LoadReuse::block_type() {
  static const base::BlockType type = make_type();
  return type;
}

/// An entry as in multicast (address 16 bits, two registers of 8), the distance and form, and its registers. The map
/// has a place for each fragment and so knows how many there are.
base::AreaTerms LoadReuse::area() const {
  const double fragments = static_cast<double>(params_.warps) * isa::kFragmentSlots;
  const double place_bits = std::ceil(std::log2(fragments));
  const double warp_bits = std::ceil(std::log2(static_cast<double>(params_.warps))) + 1;
  constexpr double kKeyBits = 16 + 8 + 8 + 16 + 8;
  const auto entries = static_cast<double>(params_.entries);
  base::AreaTerms area;
  area.add_array("table", base::Structure::kRegisterBit, entries * (kKeyBits + place_bits + warp_bits), 1,
                 kKeyBits + place_bits + warp_bits)
      .add("comparators", base::Structure::kCompareBit, entries * kKeyBits)
      .add_array("map", base::Structure::kRegisterBit, fragments * place_bits, 1, place_bits)
      .add("counts", base::Structure::kFlopBit, fragments * warp_bits)
      .add("free_list", base::Structure::kRegisterBit, fragments * place_bits);
  return area;
}

namespace {
const base::KnownBlockType known(LoadReuse::block_type());
}

}  // namespace spica::load_reuse
