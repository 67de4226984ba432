// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/area/table_file.h"

#include <fmt/format.h>

#include "platform/base/config/config.h"

namespace spica::area {

power::AreaTable read_table(const std::string& table, const std::filesystem::path& configs_dir) {
  const config::Source source = config::load(table, {}, configs_dir / "area", {"area table", ""});
  power::AreaTable result;
  config::apply(source, result, [&source](std::vector<config::Problem>& problems) {
    if (!source.problems.empty()) return;
    // Nothing is taken as zero in silence.
    for (const base::StructureKind& kind : base::kStructures)
      for (const char* value : {"low", "nominal", "high"}) {
        const std::string key = fmt::format("structures.{}.{}", kind.name, value);
        if (config::place_of(source.root, key).is_default())
          problems.push_back({{source.name}, key, fmt::format("is missing: {}", kind.doc), ""});
      }
  });
  return result;
}

}  // namespace spica::area
