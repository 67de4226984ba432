// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/base/objects.h"

namespace spica::protocol {

/// How a fragment lies in memory: the accesses of a load or store of it. Each serves up to kMaxLanes words, or parts of
/// words, of up to 128 bytes together: with 16 bytes per lane those of eight lanes, with 8 bytes those of sixteen.
struct FragmentAccess {
  static constexpr unsigned kPieces = 32;  // of an access: one for each lane of the widest warp
  /// One word or part of a word.
  struct Piece {
    std::uint8_t lane, row;  // register row of the fragment, 0..7
    std::uint8_t shift;  // of its lowest bit in that register
    std::uint16_t major,
        minor;  // row and column of its first element, or the reverse where columns are contiguous
  };
  std::uint8_t bytes = 4;  // of a piece: 1, 2 or 4
  std::uint8_t lane_bytes = 4;  // that a lane accesses at once: 1, 2, 4, 8 or 16
  std::uint8_t element_bits = 32;
  std::uint16_t majors = 0, minors = 0;  // size of the matrix: rows and columns, or the reverse
  std::vector<std::array<Piece, kPieces>> phases;
  std::vector<std::array<std::uint8_t, kPieces>>
      places;  // of their words in the fragment: row * kPieces + lane

  /// Bytes from the first to behind the last element.
  std::uint64_t bytes_spanned(std::uint32_t stride) const {
    return (std::uint64_t{majors - 1u} * stride + minors) * element_bits / 8;
  }
  /// Address of a piece, from the address of the matrix and the distance of its rows (columns) in elements.
  std::uint32_t address(const Piece& piece, std::uint32_t base, std::uint32_t stride) const {
    return base + (piece.major * stride + piece.minor) * element_bits / 8;
  }
};

}  // namespace spica::protocol

SPICA_CHECKPOINT_POINTER(const spica::protocol::FragmentAccess, const spica::protocol::FragmentAccess)
