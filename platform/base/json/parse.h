// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "platform/base/json/value.h"

namespace spica::json {

/// The document in `text`, nothing if it is none. `too_deep`, if there is one, becomes true (and the result nothing)
/// when values are in more than `levels` arrays and objects: code that handles a document recurses into it.
std::optional<Value> parse(std::string_view text, std::size_t levels = 64, bool* too_deep = nullptr);

/// The document in a regular file; nothing if there is none.
std::optional<Value> read_file(const std::string& path);

}  // namespace spica::json
