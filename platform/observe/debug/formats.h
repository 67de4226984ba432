// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/observe/debug/target.h"

namespace spica::debug {

/// `tile FORMAT ADDRESS ROWSxCOLUMNS [STRIDE]`: prints a matrix in memory in its format, one line per row; STRIDE:
/// elements from one row to the next. For invalid words, returns a line with the error.
std::string tile_text(Target& target, unsigned warp, const std::vector<std::string>& words);

/// `values FORMAT REGISTER`: prints the elements of a register of all lanes (fa0, a0, x10, f3), or of a fragment (w2,
/// one line per register), in each lane from the lowest bits on.
std::string values_text(Target& target, unsigned warp, const std::vector<std::string>& words);

}  // namespace spica::debug
