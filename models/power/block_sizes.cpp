// SPDX-License-Identifier: Apache-2.0
#include "models/power/block_sizes.h"

#include <cmath>

namespace spica::power {

namespace {

double side_of(double square_micrometres) { return std::sqrt(square_micrometres) * 1e-3; }

}  // namespace

double square_micrometres(const AreaTable& areas, const base::AreaTerms& terms) {
  double sum = 0;
  for (const base::AreaTerm& term : terms) sum += areas.structure(term.structure).nominal * term.amount;
  return sum;
}

double leaking_area(const IdleLaw& law, const AreaTable& areas, const base::AreaTerms& terms) {
  double sum = 0;
  for (const base::AreaTerm& term : terms)
    sum += law.leakage.of(term) * areas.structure(term.structure).nominal * term.amount;
  return sum;
}

double clocked_bits(const IdleLaw& law, const base::AreaTerms& terms) {
  double sum = 0;
  for (const base::AreaTerm& term : terms) sum += law.clock.of(term) * term.amount;
  return sum;
}

BlockSizes::BlockSizes(const AreaTable& areas, const std::vector<Block>& blocks) : areas_(areas) {
  double sum = 0;
  for (const Block& block : blocks)
    if (!block.type->off_chip) sum += power::square_micrometres(areas, block.area);
  chip_side_ = side_of(sum);
}

Sizes BlockSizes::of(const Block& block, std::string_view memory, std::string_view crossbar) const {
  Sizes sizes;
  if (const base::PartShape* shape = block.area.shape_of(memory); shape != nullptr) {
    sizes[Size::kBits] = shape->bits;
    sizes[Size::kWidth] = shape->width;
  }
  if (const base::PartShape* shape = block.area.shape_of(crossbar); shape != nullptr) {
    sizes[Size::kInputs] = shape->inputs;
    sizes[Size::kOutputs] = shape->outputs;
  }
  for (const auto& [name, value] : block.properties)
    for (const auto& item : kSizes.items)
      if (item.name == name) sizes[item.value] = value;
  sizes[Size::kSide] = side_of(power::square_micrometres(areas_, block.area));
  sizes[Size::kChipSide] = chip_side_;
  return sizes;
}

}  // namespace spica::power
