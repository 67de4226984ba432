// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/machine/loader/source_map.h"

namespace spica::loader {

/// True if a source file belongs to the kernel library, wherever its folder is and however its path was given: the path
/// ends in sw/lib/ and the path of a file there.
bool of_library(const std::string& file);

/// The innermost frame outside the library; the innermost frame if all are in the library.
const Frame& user_frame(const Location& location);

}  // namespace spica::loader
