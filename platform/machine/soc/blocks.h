// SPDX-License-Identifier: Apache-2.0
// The blocks of a machine for reports, with their description (models/base/block_type.h) and place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/component.h"
#include "models/base/stat_window.h"

namespace spica::soc {

class MeasuredMachine;

/// The name of `block` within `owner`: "cluster_0.core_1".
std::string name_within(const sc_core::sc_object& owner, const sc_core::sc_object& block);

/// A block and its place in the machine.
struct PlacedBlock {
  base::Component* block;
  std::string name;  // "cluster_0.core_1"
  std::string box;  // "cluster_0"; empty: in no cluster
  std::string own;  // "core_1"
  unsigned number;  // number among the blocks of its type in the box

  const base::BlockType& type() const { return block->type(); }
};

/// All blocks in tick order.
std::vector<PlacedBlock> placed_blocks(const MeasuredMachine& soc);
/// The block that contains `block` according to its type; `block` itself if there is none.
const PlacedBlock& drawn_in(const std::vector<PlacedBlock>& blocks, const PlacedBlock& block);

/// A property of the block, by the name in its type. Throws std::logic_error if there is none.
double property(const base::Component& block, std::string_view name);
/// An account of the block, by the name in its type. Throws std::logic_error if there is none.
const base::CycleAccount& account(base::Component& block, std::string_view name);
/// The sum of all counters that match one of the names: in total, and within a window.
std::uint64_t counted(const base::StatGroup& stats, const base::CounterNames& names);
std::uint64_t counted(const base::StatWindow& window, const base::StatGroup& stats,
                      const base::CounterNames& names);

}  // namespace spica::soc
