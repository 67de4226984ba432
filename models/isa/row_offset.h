// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace spica::isa {

/// A row of a register file as the distance in bytes from row 0, for a fixed number of words per row. An unused
/// destination is the sink row, so a row always exists.
struct RowOffset {
  std::uint16_t bytes;
  constexpr bool operator==(std::uint8_t) const { return false; }  // never kNoRegister
};

}  // namespace spica::isa
