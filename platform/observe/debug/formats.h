// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/observe/debug/target.h"

namespace spica::debug {

/// `tile FORMAT ADDRESS ROWSxCOLUMNS [STRIDE]`: a matrix in memory as its format means it, a line for each row; STRIDE:
/// elements from one row to the next. What is wrong with the words otherwise, in a line.
std::string tile_text(Target& target, unsigned warp, const std::vector<std::string>& words);

/// `values FORMAT REGISTER`: the elements of a register of all lanes (fa0, a0, x10, f3), or of a fragment (w2, a line
/// for each of its registers), in each lane from the lowest bits on.
std::string values_text(Target& target, unsigned warp, const std::vector<std::string>& words);

}  // namespace spica::debug
