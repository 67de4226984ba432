// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/table_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <map>

#include "platform/base/config/config.h"
#include "platform/base/input/printable.h"
#include "platform/observe/energy/blocks.h"
#include "platform/observe/energy/entry_use.h"

namespace spica::energy {

namespace {

using SourceTexts = std::map<std::string, std::string, std::less<>>;

/// Takes the texts that sources name in brackets out of a table: `sources: {NAME: TEXT}`, of all files that extend each
/// other.
SourceTexts take_sources(config::Node& root, std::vector<config::Problem>& problems) {
  const auto found = std::find(root.keys.begin(), root.keys.end(), "sources");
  if (found == root.keys.end()) return {};
  const auto at = root.children.begin() + (found - root.keys.begin());
  SourceTexts texts;
  if (at->kind != config::Node::Kind::kMap)
    problems.push_back({at->place, "sources", "is not a map of names and texts", ""});
  for (std::size_t i = 0; i < at->keys.size(); ++i)
    if (const config::Node& text = at->children[i]; text.kind == config::Node::Kind::kScalar)
      texts.emplace(at->keys[i], text.scalar);
    else problems.push_back({text.place, config::join("sources", at->keys[i]), "is not a text", ""});
  root.children.erase(at);
  root.keys.erase(found);
  return texts;
}

/// Every event and idle block must have its three values; nothing is taken as zero in silence. What a block that came
/// with a plugin costs, a table need not know.
void require_entries(const config::Source& source, std::vector<config::Problem>& problems, const Note& note) {
  const auto require = [&](const base::BlockType& type, const std::string& entry, std::string_view meaning) {
    std::vector<std::string> missing;
    for (const char* value : {"low", "nominal", "high"})
      if (config::place_of(source.root, config::join(entry, value)).is_default())
        missing.push_back(config::join(entry, value));
    if (missing.size() == 3 && type.order == base::BlockType::kLast) {
      if (note)
        note(fmt::format("the energy table {} has no {}, {}: it counts as 0", input::printable(source.name),
                         entry, meaning));
      return;
    }
    for (const std::string& value : missing)
      problems.push_back({{source.name}, value, fmt::format("is missing: {}", meaning), ""});
  };
  for (const power::EventKind& event : power::event_kinds())
    require(*event.type, "events." + std::string(event.name),
            fmt::format("energy of one {}, {}", event.unit, event.doc));
  for (const power::IdleKind& idle : power::idle_kinds())
    for (const char* term : {"clock", "leakage"})
      require(*idle.type, fmt::format("idle.{}.{}", idle.type->name, term),
              fmt::format("{} of {}", term, idle.doc));
}

/// Entries of 0 whose source does not say that something else has their energy, or that nothing counts it.
void record_zeros(const power::EnergyTable& table, const std::string& name, const Note& note) {
  std::vector<std::string> zeros;
  for (std::size_t kind = 0; kind < power::event_kinds().size(); ++kind)
    if (const power::Coefficient& one = table.event(kind);
        one.nominal == 0 && !one.source.empty() && !is_explained(one.source))
      zeros.push_back("events." + std::string(power::event_kinds()[kind].name));
  if (!zeros.empty())
    note(fmt::format(
        "the energy table {} has 0 for {}: these events cost nothing in all results; if that is intended, "
        "the source must begin with \"contained in\" or \"not counted\"",
        input::printable(name), fmt::join(zeros, ", ")));
}

}  // namespace

void warn(const std::string& note) { std::cerr << "spica: warning: " << note << ".\n"; }

std::unique_ptr<power::EnergyTable> read_table(const std::string& table,
                                               const std::filesystem::path& configs_dir, const Note& note) {
  machine_types();  // are all there
  config::Source source = config::load(table, {}, configs_dir / "power");
  auto result = std::make_unique<power::EnergyTable>();
  std::vector<config::Problem> of_texts;
  const SourceTexts texts = take_sources(source.root, of_texts);
  config::Field root = config::describe(*result);
  std::vector<config::Problem> problems = config::apply_fields(source, root);
  problems.insert(problems.end(), of_texts.begin(), of_texts.end());
  if (source.problems.empty()) require_entries(source, problems, note);
  if (!problems.empty()) throw config::ConfigError(std::move(problems));
  result->expand_sources(texts);
  if (note) record_zeros(*result, source.name, note);
  return result;
}

std::unique_ptr<power::DeviceEnergies> read_device(const std::string& device,
                                                   const std::filesystem::path& configs_dir) {
  machine_types();  // are all there
  const config::Source source =
      config::load(device, {}, configs_dir / "power" / "dram", {"device energies", ""});
  auto result = std::make_unique<power::DeviceEnergies>();
  config::apply(source, *result, [&](std::vector<config::Problem>& problems) {
    if (!source.problems.empty()) return;
    const auto require = [&](std::string_view entry, std::string_view meaning) {
      for (const char* value : {"low", "nominal", "high"})
        if (const std::string key = config::join(std::string(entry), value);
            config::place_of(source.root, key).is_default())
          problems.push_back({{source.name}, key, fmt::format("is missing: {}", meaning), ""});
    };
    for (const auto& [kind, entry] : result->entries()) {
      const power::EventKind& event = power::event_kinds()[kind];
      require(event.name.substr(event.name.find('.') + 1),
              fmt::format("pJ of one {}, {}", event.unit, event.doc));
    }
    require("io", "pJ per byte between device and chip");
    require("standby", "mW of a channel");
  });
  return result;
}

std::string chosen_for(const power::EnergyTable& table) {
  return table.machine.empty() ? "" : fmt::format("for {}\n", input::printable(table.machine));
}

}  // namespace spica::energy
