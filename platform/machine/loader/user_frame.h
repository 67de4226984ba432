// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/machine/loader/source_map.h"

namespace spica::loader {

/// Whether a source file is one of the kernel library, wherever its folder lies and however the compiler was given it:
/// the path ends in sw/lib/ and the path of a file there.
bool of_library(const std::string& file);

/// The innermost frame that is the user's own; the innermost one when all are of the library.
const Frame& user_frame(const Location& location);

}  // namespace spica::loader
