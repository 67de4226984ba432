// SPDX-License-Identifier: Apache-2.0
// The sizes of a block, from its area terms and its properties.
#pragma once

#include <string_view>
#include <vector>

#include "models/power/activity.h"
#include "models/power/area_table.h"
#include "models/power/energy_entries.h"
#include "models/power/size.h"

namespace spica::power {

/// Nominal area of a block in um2, in the technology of the table.
double square_micrometres(const AreaTable& areas, const base::AreaTerms& terms);

/// The sizes that determine the idle power of a block: its area for leakage, and its clocked bits.
double leaking_area(const IdleLaw& law, const AreaTable& areas, const base::AreaTerms& terms);
double clocked_bits(const IdleLaw& law, const base::AreaTerms& terms);

/// Sizes of blocks on one chip.
class BlockSizes {
 public:
  BlockSizes(const AreaTable& areas, const std::vector<Block>& blocks);

  /// Sizes of the memory `memory` and the crossbar `crossbar` of the block; empty: it has none that applies.
  Sizes of(const Block& block, std::string_view memory, std::string_view crossbar) const;

 private:
  const AreaTable& areas_;
  double chip_side_ = 0;  // mm
};

}  // namespace spica::power
