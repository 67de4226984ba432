// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/base/bits.h"
#include "models/base/types.h"

namespace spica::cache {

/// Sectors of one line, one bit each; the lowest bit is the lowest address. An unsectored line is one sector.
using Sectors = std::uint8_t;
inline constexpr unsigned kMostSectors = 8;

inline unsigned count(Sectors sectors) { return sectors == 1 ? 1 : base::count_bits(sectors); }
/// The first run of adjacent sectors; 0 if there is none.
inline Sectors first_run(Sectors sectors) {
  return static_cast<Sectors>(sectors & ~(sectors + (sectors & -unsigned{sectors})));
}
/// Number of runs of adjacent sectors.
inline unsigned count_runs(Sectors sectors) {
  return sectors == 1 ? 1 : base::count_bits(sectors & ~(unsigned{sectors} << 1));
}

/// Division of addresses into lines, and of lines into sectors; both sizes are powers of two.
class LineMap {
 public:
  LineMap(std::uint64_t line_bytes, std::uint64_t sectors)
      : line_shift_(log2(line_bytes)), sector_shift_(log2(line_bytes / sectors)) {}

  /// False: a line is one sector.
  bool divided() const { return sector_shift_ != line_shift_; }
  unsigned line_shift() const { return line_shift_; }
  base::Address line(std::uint64_t address) const { return address >> line_shift_; }
  /// Sectors of a line that contain any of `bytes` bytes from `address`, at least one; they are adjacent.
  Sectors touched(std::uint64_t address, std::uint32_t bytes) const {
    if (!divided()) return 1;
    const auto from = static_cast<std::uint32_t>(address & ((std::uint64_t{1} << line_shift_) - 1));
    const std::uint32_t last = (from + (bytes != 0 ? bytes - 1 : 0)) >> sector_shift_;
    return static_cast<Sectors>((2u << last) - (1u << (from >> sector_shift_)));
  }
  /// True if the bytes cover all sectors that they touch.
  bool whole(std::uint64_t address, std::uint32_t bytes) const {
    return bytes != 0 && ((address | bytes) & ((std::uint64_t{1} << sector_shift_) - 1)) == 0;
  }
  std::uint32_t bytes(Sectors sectors) const { return std::uint32_t{count(sectors)} << sector_shift_; }
  /// Address of the first of `sectors`.
  std::uint64_t address(base::Address line, Sectors sectors) const {
    return (line << line_shift_) + (static_cast<std::uint64_t>(__builtin_ctz(sectors)) << sector_shift_);
  }

 private:
  static std::uint8_t log2(std::uint64_t power) { return static_cast<std::uint8_t>(__builtin_ctzll(power)); }

  std::uint8_t line_shift_, sector_shift_;
};

}  // namespace spica::cache
