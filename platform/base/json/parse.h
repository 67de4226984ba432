// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "platform/base/json/value.h"

namespace spica::json {

/// Parses `text`; empty if it is not a JSON document. If values are nested deeper than `levels`, returns nothing and
/// sets `too_deep` if given: code that handles documents is recursive.
std::optional<Value> parse(std::string_view text, std::size_t levels = 64, bool* too_deep = nullptr);

/// Parses a regular file; empty if it is not a readable JSON document.
std::optional<Value> read_file(const std::string& path);

}  // namespace spica::json
