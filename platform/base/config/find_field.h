// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "platform/base/config/field.h"

namespace spica::config {

/// The field of a dotted key: a value, a group or a list. For a list entry that does not exist, returns a new entry,
/// which lists the possible keys and has no value, and sets `is_there` to false. Empty if no parameter has that key.
std::optional<Field> find_field(const Field& root, const std::string& key, bool& is_there);

}  // namespace spica::config
