// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace spica::check {

/// How a matrix lies in memory, so that a finding can name its element.
struct MatrixLayout {
  std::string format;  // of an element, "fp8_e4m3"; empty: nothing is known
  unsigned bits = 0;  // of an element
  std::uint64_t line = 0;  // elements from one line to the next; 0: they have another order
  bool columns = false;  // lines are columns, else rows
  unsigned lines = 1;  // that are one in memory: of each place the elements of all of them, side by side
};

/// "row 3, column 5 (fp8_e4m3)": the element of a byte, or all that are in it; "" where nothing is known.
std::string element_text(const MatrixLayout& layout, std::uint64_t byte);

}  // namespace spica::check
