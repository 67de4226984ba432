// SPDX-License-Identifier: Apache-2.0
#include "platform/energy/table_file.h"

#include <fmt/format.h>

#include "platform/config/config.h"

namespace spica::energy {

namespace {

/// Every event and idle block must have its three values; nothing is taken as zero in silence.
void require_entries(const config::Source& source, std::vector<config::Problem>& problems) {
  const auto require = [&](const std::string& entry, std::string_view meaning) {
    for (const char* value : {"low", "nominal", "high"})
      if (config::place_of(source.root, config::join(entry, value)).is_default())
        problems.push_back(
            {{source.name}, config::join(entry, value), fmt::format("is missing: {}", meaning), ""});
  };
  for (const power::EventKind& event : power::event_kinds())
    require("events." + std::string(event.name), fmt::format("energy of one {}, {}", event.unit, event.doc));
  for (const power::IdleKind& idle : power::idle_kinds())
    for (const char* term : {"clock", "leakage"})
      require(fmt::format("idle.{}.{}", idle.block, term), fmt::format("{} of {}", term, idle.doc));
}

}  // namespace

std::unique_ptr<power::EnergyTable> read_table(const std::string& table,
                                               const std::filesystem::path& configs_dir) {
  const config::Source source = config::load(table, {}, configs_dir / "power");
  auto result = std::make_unique<power::EnergyTable>();
  config::Field root = config::describe(*result);
  std::vector<config::Problem> problems = config::apply_fields(source, root);
  if (source.problems.empty()) require_entries(source, problems);
  if (!problems.empty()) throw config::ConfigError(std::move(problems));
  return result;
}

}  // namespace spica::energy
