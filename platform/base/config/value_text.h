// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "platform/base/config/field.h"

namespace spica::config {

/// Reads the text of a single value. Whole numbers are decimal or 0x...; those in bytes (unit "B") may end in B, KiB,
/// MiB or GiB. On failure returns nothing and sets `why` to the reason, with the closest choice if there is one.
std::optional<Value> parse_value(const Field& field, std::string_view text, std::string& why);

/// The value in the form parse_value reads: numbers without unit, addresses (unit "address") in hexadecimal.
std::string value_text(const Field& field, const Value& value);

/// Reads "true" or "false"; empty for any other text. The same rule for every file and the command line.
std::optional<bool> parse_truth(std::string_view text);
inline constexpr const char* kTruthText = "true, false";  // the allowed texts

/// The allowed values: "1..64 banks, powers of two", "fault, warn, follow", "true, false".
std::string allowed_text(const Field& field);

/// "a whole number", "a group of keys", ...
std::string kind_text(Field::Kind kind);

}  // namespace spica::config
