// SPDX-License-Identifier: Apache-2.0
#include "platform/config/find_field.h"

#include <algorithm>
#include <utility>

#include "platform/config/node.h"

namespace spica::config {

std::optional<Field> find_field(const Field& root, const std::string& key, bool& is_there) {
  is_there = true;
  const auto parts = split_path(key);
  if (!parts) return std::nullopt;
  Field here = root;
  for (const std::string& part : *parts) {
    const auto child = std::find_if(here.children.begin(), here.children.end(),
                                    [&](const Field& field) { return field.name == part; });
    if (child != here.children.end()) {
      here = std::exchange(*child, Field());
    } else if (here.kind == Field::Kind::kList && entry_number(part)) {
      is_there = false;
      here = here.prototype();
    } else {
      return std::nullopt;
    }
  }
  return here;
}

}  // namespace spica::config
