// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "platform/machine/soc/measured_machine.h"

namespace spica::soc {

std::string name_within(const sc_core::sc_object& owner, const sc_core::sc_object& block) {
  const std::string full = block.name(), prefix = std::string(owner.name()) + ".";
  return full.compare(0, prefix.size(), prefix) == 0 ? full.substr(prefix.size()) : full;
}

std::vector<PlacedBlock> placed_blocks(const MeasuredMachine& soc) {
  std::vector<PlacedBlock> blocks;
  std::map<std::pair<std::string, const base::BlockType*>, unsigned> numbers;
  for (base::Component* component : soc.components()) {
    PlacedBlock block{component, soc.short_name(*component), {}, component->basename(), 0};
    if (block.name.size() > block.own.size())
      block.box = block.name.substr(0, block.name.size() - block.own.size() - 1);
    block.number = numbers[{block.box, &component->type()}]++;
    blocks.push_back(std::move(block));
  }
  return blocks;
}

const PlacedBlock& drawn_in(const std::vector<PlacedBlock>& blocks, const PlacedBlock& block) {
  if (block.type().inside.empty()) return block;
  // One that serves several of them is in none.
  const auto others = [&](std::string_view type) {
    return std::count_if(blocks.begin(), blocks.end(), [&](const PlacedBlock& other) {
      return other.type().name == type && other.box == block.box;
    });
  };
  if (others(block.type().name) == 1 && others(block.type().inside) > 1) return block;
  for (const PlacedBlock& other : blocks)
    if (other.type().name == block.type().inside && other.box == block.box && other.number == block.number)
      return other;
  return block;
}

double property(const base::Component& block, std::string_view name) {
  for (const auto& [known, value] : block.properties())
    if (known == name) return value;
  throw std::logic_error(
      fmt::format("{} has no property '{}', which its type {} names", block.name(), name, block.type().name));
}

const base::CycleAccount& account(base::Component& block, std::string_view name) {
  for (const base::CycleAccount& known : block.stats().accounts())
    if (known.name() == name) return known;
  throw std::logic_error(
      fmt::format("{} has no account '{}', which its type {} names", block.name(), name, block.type().name));
}

std::uint64_t counted(const base::StatGroup& stats, const base::CounterNames& names) {
  std::uint64_t sum = 0;
  if (names.empty()) return sum;
  for (const base::StatGroup::Entry& entry : stats.counters())
    if (base::matches(names, entry.name)) sum += entry.counter.value();
  return sum;
}

std::uint64_t counted(const base::StatWindow& window, const base::StatGroup& stats,
                      const base::CounterNames& names) {
  std::uint64_t sum = 0;
  for (const base::StatGroup::Entry& entry : stats.counters())
    if (base::matches(names, entry.name)) sum += window.value(entry.counter);
  return sum;
}

}  // namespace spica::soc
