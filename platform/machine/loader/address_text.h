// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "platform/machine/loader/source_map.h"

namespace spica::loader {

/// Parses a number or the name of a symbol. Throws UserError whose message begins with `what`.
std::uint64_t parse_address(const std::string& text, const std::string& what, const SourceMap& symbols);

}  // namespace spica::loader
