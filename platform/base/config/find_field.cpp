// SPDX-License-Identifier: Apache-2.0
#include "platform/base/config/find_field.h"

#include <algorithm>
#include <deque>

#include "platform/base/config/node.h"

namespace spica::config {

std::optional<Field> find_field(const Field& root, const std::string& key, bool& is_there) {
  is_there = true;
  const auto parts = split_path(key);
  if (!parts) return std::nullopt;
  const Field* here = &root;
  std::deque<Field> fresh;
  for (const std::string& part : *parts) {
    const auto child = std::find_if(here->children.begin(), here->children.end(),
                                    [&](const Field& field) { return field.name == part; });
    if (child != here->children.end()) {
      here = &*child;
    } else if (here->kind == Field::Kind::kList && entry_number(part)) {
      is_there = false;
      here = &fresh.emplace_back(here->prototype());
    } else {
      return std::nullopt;
    }
  }
  return *here;
}

}  // namespace spica::config
