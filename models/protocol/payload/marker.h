// SPDX-License-Identifier: Apache-2.0
// Instructions that tell the platform where a program is. They do not affect the program.
#pragma once

#include <cstdint>

namespace spica::protocol {

// No-operation instructions around the part of the run to be timed (kernels sgemm_tcore/kernel.cpp).
inline constexpr std::uint32_t kMarkBegin = 0xBE90A013;
inline constexpr std::uint32_t kMarkEnd = 0xE0D0A013;

enum class Marker : std::uint8_t { kBegin, kEnd };

/// A warp is in a nest of loops over units of work, for example the tiles of a product.
struct UnitMark {
  enum class Kind : std::uint8_t { kLoop, kUnit };
  unsigned core = 0, warp = 0;
  Kind kind = Kind::kUnit;
  std::uint32_t value =
      0;  // kLoop: extent and step of each loop, in turn; kUnit: the variable of each loop, in turn
};

/// Moves from a register to another by a shift of 0, which compilers write in another way (sw/lib/include/simt.h):
/// srli rd, rs1, 0 is kLoop with the value of rs1, slli rd, rs1, 0 is kUnit.
inline constexpr std::uint32_t kShiftByNothing = 0xFFF0707F, kMarkLoop = 0x00005013, kMarkUnit = 0x00001013;
constexpr bool marks_units(std::uint32_t word) {
  const std::uint32_t shift = word & kShiftByNothing;
  return (shift == kMarkLoop || shift == kMarkUnit) && (word & 0xF80) != 0;
}

constexpr bool is_marker(std::uint32_t word) {
  return word == kMarkBegin || word == kMarkEnd || marks_units(word);
}

}  // namespace spica::protocol
