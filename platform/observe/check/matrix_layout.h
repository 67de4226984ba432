// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace spica::check {

/// The layout of a matrix in memory, so that findings can name its elements.
struct MatrixLayout {
  std::string format;  // element format, "fp8_e4m3"; empty: unknown
  unsigned bits = 0;  // bits of an element
  std::uint64_t line = 0;  // elements from one line to the next; 0: another order
  bool columns = false;  // true: lines are columns; false: rows
  unsigned lines =
      1;  // lines interleaved in memory: of each position the elements of all of them are adjacent
};

/// "row 3, column 5 (fp8_e4m3)": the element or elements of a byte; "" if unknown.
std::string element_text(const MatrixLayout& layout, std::uint64_t byte);

}  // namespace spica::check
