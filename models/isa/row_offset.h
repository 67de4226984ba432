// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace spica::isa {

/// A row of a register file as the distance in bytes from row 0, for a known number of words per row. A
/// destination that is never read is the sink row, so there is always one.
struct RowOffset {
  std::uint16_t bytes;
  constexpr bool operator==(std::uint8_t) const { return false; }  // never "no register"
};

}  // namespace spica::isa
