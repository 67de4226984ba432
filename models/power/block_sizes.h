// SPDX-License-Identifier: Apache-2.0
// The sizes of a block, from what it says of its area and its properties.
#pragma once

#include <string_view>
#include <vector>

#include "models/power/activity.h"
#include "models/power/area_table.h"
#include "models/power/energy_entries.h"
#include "models/power/size.h"

namespace spica::power {

/// um2 of a block, nominal, in the technology of the table.
double square_micrometres(const AreaTable& areas, const base::AreaTerms& terms);

/// What the idle power of a block follows: its area for leakage and its clocked bits.
double leaking_area(const IdleLaw& law, const AreaTable& areas, const base::AreaTerms& terms);
double clocked_bits(const IdleLaw& law, const base::AreaTerms& terms);

/// Sizes of blocks on one chip.
class BlockSizes {
 public:
  BlockSizes(const AreaTable& areas, const std::vector<Block>& blocks);

  /// Sizes of the memory `memory` and the crossbar `crossbar` of the block; empty: it has none that counts.
  Sizes of(const Block& block, std::string_view memory, std::string_view crossbar) const;

 private:
  const AreaTable& areas_;
  double chip_side_ = 0;  // mm
};

}  // namespace spica::power
