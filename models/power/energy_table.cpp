// SPDX-License-Identifier: Apache-2.0
#include "models/power/energy_table.h"

#include <string_view>

namespace spica::power {

EnergyTable::EnergyTable() {
  calibration_.table = this;
  const std::vector<EventKind>& kinds = event_kinds();
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    const std::string name(kinds[kind].name.substr(0, kinds[kind].name.find('.')));
    Group* group = nullptr;
    for (Group& known : groups_.all)
      if (known.name == name) group = &known;
    if (group == nullptr) {
      group = &groups_.all.emplace_back();
      group->name = name;
    }
    group->entries.emplace_back(kind, Coefficient{});
  }
  events_.resize(kinds.size());
  for (const Group& group : groups_.all)
    for (const auto& [kind, entry] : group.entries) events_[kind] = &entry;
  idle_.entries.resize(idle_kinds().size());
}

Interval EnergyTable::picojoule(std::size_t kind) const {
  const Coefficient& entry = event(kind);
  const double unit = entry.unit == EnergyUnit::kFemtojoule  ? 1e-3
                      : entry.unit == EnergyUnit::kPicojoule ? 1
                                                             : 1e3;
  const double nominal = entry.nominal * (entry.calibrated ? instruction_overhead : 1);
  return Interval{entry.low, nominal, entry.high} * unit;
}

const Law* EnergyTable::law(std::size_t kind) const {
  const std::string& name = event(kind).law;
  for (const Law& known : laws)
    if (known.name == name) return &known;
  return nullptr;
}

void EnergyTable::expand_sources(const std::map<std::string, std::string, std::less<>>& texts) {
  const auto expand = [&texts](std::string& source) {
    std::size_t begin = source.find('[');
    for (std::size_t end = source.find(']', begin); end != std::string::npos; end = source.find(']', begin)) {
      const auto known = texts.find(std::string_view(source).substr(begin + 1, end - begin - 1));
      const std::size_t length = known != texts.end() ? known->second.size() : 1;
      if (known != texts.end()) source.replace(begin, end - begin + 1, known->second);
      begin = source.find('[', begin + length);
    }
  };
  for (Group& group : groups_.all)
    for (auto& [kind, entry] : group.entries) expand(entry.source);
  for (IdlePower& entry : idle_.entries) expand(entry.source);
  for (Law& law : laws) expand(law.source);
  for (std::string* text :
       {&technology_source, &idle_law.source, &clock_gating.source, &highest_clock.source})
    expand(*text);
}

std::string EnergyTable::problem_of(std::size_t kind) const {
  const Coefficient& entry = event(kind);
  if (entry.law.empty()) return "";
  const Law* const known = law(kind);
  if (known == nullptr) {
    std::string names;
    for (const Law& one : laws) names += (names.empty() ? "" : ", ") + one.name;
    return "is not a law of this table; laws: " + names;
  }
  const std::optional<Sizes> at = parse_sizes(entry.at);
  for (const auto& item : kSizes.items)
    if (at && known->depends_on(item.value) && (*at)[item.value] == 0)
      return "reads the size " + std::string(item.name) + ", which `at` does not say";
  return "";
}

}  // namespace spica::power
