// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platform/machine/loader/source_map.h"

namespace spica::loader {

/// Where an instruction comes from, as far as anybody can tell.
struct NearestLine {
  const Location& location;
  bool exact;  // false: the compiler gave the instruction no line (0); this is the one of a neighbour
};

/// Compilers give no line to an instruction that was made from several lines. The nearest is the one in front of it in
/// the same function, else the one behind it. Where no instruction of the function has a line: as SourceMap::lookup().
NearestLine nearest_line(const SourceMap& sources, std::uint64_t pc);

}  // namespace spica::loader
