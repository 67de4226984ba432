// SPDX-License-Identifier: Apache-2.0
// The limit of a part of a run, from sums by type of block.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "platform/run/limiter.h"
#include "platform/run/limiter_words.h"

namespace spica::job {

namespace {

/// The type that did the work; nullptr: none.
const base::BlockType* worker_of(const soc::TypeSums& sums, const soc::TypeSums::Row& row) {
  const base::BlockType* first = nullptr;
  for (const base::BlockType* type : sums.types()) {
    if (type->limiter.sentence.empty()) continue;
    if (!type->limiter.worked.empty() && sums.counted(row, *type, type->limiter.worked) == 0) continue;
    if (first == nullptr || comes_before(type, first)) first = type;
  }
  return first;
}

/// "cores issue" of "The cores issue in".
std::string_view subject_and_verb(std::string_view sentence) {
  constexpr std::string_view kThe = "The ";
  if (sentence.substr(0, kThe.size()) == kThe) sentence.remove_prefix(kThe.size());
  return sentence.substr(0, sentence.rfind(' '));
}

}  // namespace

std::vector<ChannelUse> channel_use(const soc::TypeSums& sums, const soc::TypeSums::Row& row) {
  std::vector<std::pair<unsigned, ChannelUse>> found;  // by the order of the type
  for (const base::BlockType* type : sums.types())
    for (const base::Channel& channel : type->channels) {
      const double peak = channel.peak.empty() ? 1 : sums.mean_property(*type, channel.peak);
      const double room = peak * static_cast<double>(sums.block_cycles(row, *type));
      if (room <= 0) continue;  // unknown, or no time
      const double full = static_cast<double>(sums.counted(row, *type, channel.counters)) / room;
      const auto known = std::find_if(found.begin(), found.end(),
                                      [&](const auto& one) { return one.second.name == channel.name; });
      if (known == found.end()) found.push_back({type->order, {std::string(channel.name), full}});
      else known->second.full = std::max(known->second.full, full);
    }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<ChannelUse> channels;
  for (auto& [order, channel] : found) channels.push_back(std::move(channel));
  return channels;
}

std::vector<UnitUse> unit_use(const soc::TypeSums& sums, const soc::TypeSums::Row& row) {
  struct Unit {
    std::string name;
    base::Arithmetic::Work work;
    double most = 0;  // of base::Arithmetic::counter
  };
  std::vector<Unit> units;
  for (const base::BlockType* type : sums.types()) {
    const base::Arithmetic& arithmetic = type->arithmetic;
    if (arithmetic.counter.empty()) continue;
    const std::string name(arithmetic.together.empty() ? type->name : arithmetic.together);
    auto unit = std::find_if(units.begin(), units.end(), [&](const Unit& one) { return one.name == name; });
    if (unit == units.end()) unit = units.insert(units.end(), {name, {}, 0});
    arithmetic.add_to(unit->work,
                      [&](const base::CounterNames& names) { return sums.counted(row, *type, names); });
    unit->most +=
        sums.mean_property(*type, arithmetic.peak) * static_cast<double>(sums.block_cycles(row, *type));
  }
  std::vector<UnitUse> result;
  for (const Unit& unit : units)
    result.push_back({unit.name, unit.work.macs, unit.most > 0 ? unit.work.at_peak / unit.most : 0});
  return result;
}

std::string short_limiter(const soc::TypeSums& sums, const soc::TypeSums::Row& row) {
  const base::BlockType* type = worker_of(sums, row);
  if (type == nullptr) return "";
  const base::Limiter& limiter = type->limiter;
  double all = 0, busy = 0, most = 0;
  std::string_view reason;
  for (const auto& [name, counted] : sums.cycles(row, *type, limiter.account)) {
    const auto cycles = static_cast<double>(static_cast<std::int64_t>(counted));
    all += cycles;
    if (name == limiter.busy) busy = cycles;
    else if (cycles > most) {
      most = cycles;
      reason = name;
    }
  }
  if (all <= 0) return "";
  std::string text = fmt::format("{} {:.0f} %", subject_and_verb(limiter.sentence), 100 * busy / all);
  if (most > 0) text += fmt::format(", wait for {} {:.0f} %", meaning(*type, reason), 100 * most / all);
  const std::string full = nearly_full(channel_use(sums, row));
  return full.empty() ? text : fmt::format("{}; {} full", text, full);
}

}  // namespace spica::job
