// SPDX-License-Identifier: Apache-2.0
#include "platform/base/config/earlier_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>

namespace spica::config {

const Field* option_of_name(const std::vector<Field>& options, std::string_view name) {
  for (const Field& option : options) {
    if (option.name == name) return &option;
    if (std::find(option.earlier.begin(), option.earlier.end(), name) == option.earlier.end()) continue;
    static std::set<std::string> told;
    if (told.emplace(name).second)
      fmt::print(stderr, "spica: note: {} is now called {}; the earlier name will be removed.\n", name,
                 option.name);
    return &option;
  }
  return nullptr;
}

void rename_keys(Node& map, const std::vector<Field>& options, std::vector<Problem>& problems) {
  for (std::size_t i = 0; i < map.keys.size(); ++i) {
    const Field* const option = option_of_name(options, map.keys[i]);
    if (option == nullptr || option->name == map.keys[i]) continue;
    if (map.find(option->name) != nullptr)
      problems.push_back({map.children[i].place, map.keys[i],
                          fmt::format("it is the earlier name of {}, which is given, too", option->name),
                          fmt::format("{} only", option->name)});
    map.keys[i] = option->name;
  }
}

}  // namespace spica::config
