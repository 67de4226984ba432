// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/type_sums.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "models/base/invariant.h"
#include "platform/machine/soc/blocks.h"
#include "platform/machine/soc/measured_machine.h"

namespace spica::soc {

TypeSums::TypeSums(const MeasuredMachine& machine) {
  using Key = std::tuple<const base::BlockType*, std::string_view, std::string_view>;
  std::map<Key, std::size_t> places;
  const auto column = [&](const base::BlockType& type, std::string_view name, std::string_view reason) {
    const auto [place, is_new] = places.try_emplace({&type, name, reason}, columns_.size());
    if (is_new) columns_.push_back({&type, name, reason});
    return place->second;
  };
  // All columns of an account are next to each other, because the first block of a type adds them in turn.
  for (base::Component* block : machine.components()) {
    const base::BlockType& type = block->type();
    if (&type == &base::plain_block_type()) continue;
    if (std::find(types_.begin(), types_.end(), &type) == types_.end()) types_.push_back(&type);
    blocks_.push_back(block);
    cycle_columns_.push_back(column(type, {}, {}));
    for (const base::StatGroup::Entry& entry : block->stats().counters())
      counters_.push_back({block, &entry.counter, column(type, entry.name, {})});
    for (const base::CycleAccount& account : block->stats().accounts()) {
      const std::size_t first = column(type, account.name(), account.reason(0));
      for (std::size_t i = 1; i < account.size(); ++i)
        SPICA_INVARIANT(column(type, account.name(), account.reason(i)) == first + i);
      accounts_.push_back({block, &account, first});
    }
  }
}

TypeSums::Row TypeSums::read() const {
  Row row(columns_.size());
  for (std::size_t i = 0; i < blocks_.size(); ++i) row[cycle_columns_[i]] += blocks_[i]->now();
  for (const auto& source : counters_) row[source.column] += source.statistic->value();
  for (const auto& source : accounts_)
    for (std::size_t i = 0; i < source.statistic->size(); ++i)
      row[source.column + i] += source.statistic->cycles_at(i, source.block->now());
  return row;
}

std::vector<std::string> TypeSums::column_names() const {
  std::vector<std::string> names;
  for (const Column& column : columns_) {
    std::string name(column.type->name);
    name += '.';
    name += column.name.empty() ? "block_cycles" : column.name;
    if (!column.reason.empty()) name.append(".").append(column.reason);
    names.push_back(std::move(name));
  }
  return names;
}

std::uint64_t TypeSums::blocks(const base::BlockType& type) const {
  return static_cast<std::uint64_t>(std::count_if(
      blocks_.begin(), blocks_.end(), [&type](const auto* block) { return &block->type() == &type; }));
}

double TypeSums::mean_property(const base::BlockType& type, std::string_view name) const {
  double sum = 0;
  for (const base::Component* block : blocks_)
    if (&block->type() == &type) sum += property(*block, name);
  return sum / static_cast<double>(blocks(type));
}

std::uint64_t TypeSums::block_cycles(const Row& row, const base::BlockType& type) const {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].type == &type && columns_[i].name.empty()) return row[i];
  return 0;
}

std::uint64_t TypeSums::counted(const Row& row, const base::BlockType& type,
                                const base::CounterNames& names) const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].type == &type && !columns_[i].name.empty() && columns_[i].reason.empty() &&
        base::matches(names, columns_[i].name))
      sum += row[i];
  return sum;
}

TypeSums::Cycles TypeSums::cycles(const Row& row, const base::BlockType& type,
                                  std::string_view account) const {
  Cycles cycles;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].type == &type && columns_[i].name == account && !columns_[i].reason.empty())
      cycles.emplace_back(columns_[i].reason, row[i]);
  return cycles;
}

}  // namespace spica::soc
