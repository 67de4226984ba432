// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "platform/base/config/field.h"

namespace spica::config {

/// The field of a dotted key: a value, a group or a list. For an entry that a list does not have it is a fresh one,
/// which lists the possible keys and has no value, and `is_there` is false. Nothing when no parameter has that key.
std::optional<Field> find_field(const Field& root, const std::string& key, bool& is_there);

}  // namespace spica::config
