// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/machine/loader/source_map.h"

namespace spica::report {

/// One warp at one moment.
struct WarpSnapshot {
  unsigned core = 0, warp = 0;
  std::string state;  // "running", "waits at barrier 1", "ended"
  std::uint32_t pc = 0;
  std::uint32_t mask = 0;  // active lanes; 0: the warp does not run and has no pc
  std::string detail;      // may be empty
};

/// A table of warps in the given order, with the function (and those it is inlined into) and source line of each;
/// columns that are empty for all warps are left out. Of more than 64 warps, a line for each state and instruction
/// with the number of warps there, those with most warps first, at most 40. Ends with a newline.
std::string warp_table(const std::vector<WarpSnapshot>& warps, const loader::SourceMap& source);

}  // namespace spica::report
