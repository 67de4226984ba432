// SPDX-License-Identifier: Apache-2.0
// The blocks of a machine as reports see them: by what each says of itself (models/base/block_type.h), and where it is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/component.h"
#include "models/base/stat_window.h"

namespace spica::soc {

class Soc;

/// A block and its place in the machine.
struct PlacedBlock {
  base::Component* block;
  std::string name;  // "cluster_0.core_1"
  std::string box;  // "cluster_0"; empty: of the machine itself
  std::string own;  // "core_1"
  unsigned number;  // which one of its type in the box

  const base::BlockType& type() const { return block->type(); }
};

/// In tick order.
std::vector<PlacedBlock> placed_blocks(const Soc& soc);
/// The one that `block` is drawn inside, by its type; itself when it is in none.
const PlacedBlock& drawn_in(const std::vector<PlacedBlock>& blocks, const PlacedBlock& block);

/// A number of the block that its type names. Throws std::logic_error when there is none.
double property(const base::Component& block, std::string_view name);
/// An account of the block that its type names. Throws std::logic_error when there is none.
const base::CycleAccount& account(base::Component& block, std::string_view name);
/// The counters that fit one of the names, added up: so far, and within a window.
std::uint64_t counted(const base::StatGroup& stats, const base::CounterNames& names);
std::uint64_t counted(const base::StatWindow& window, const base::StatGroup& stats,
                      const base::CounterNames& names);

}  // namespace spica::soc
