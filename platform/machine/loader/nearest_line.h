// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platform/machine/loader/source_map.h"

namespace spica::loader {

/// The best known source line of an instruction.
struct NearestLine {
  const Location& location;
  bool exact;  // false: the compiler assigned no line (0), and this is the line of a neighbour
};

/// Compilers assign no line to an instruction that was made from several lines. The nearest line is that of the
/// instruction before it in the same function, otherwise after it. If no instruction of the function has a line: as
/// SourceMap::lookup().
NearestLine nearest_line(const SourceMap& sources, std::uint64_t pc);

}  // namespace spica::loader
