// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/base/objects.h"

namespace spica::protocol {

/// The memory layout of a fragment: the accesses of a load or store of it. Each access covers up to kMaxLanes words or
/// parts of words, 128 bytes in total: eight lanes of 16 bytes, or sixteen of 8 bytes.
struct FragmentAccess {
  static constexpr unsigned kPieces = 32;  // pieces of an access: one per lane of the widest warp
  /// One word or part of a word.
  struct Piece {
    std::uint8_t lane, row;  // lane, and register row of the fragment (0..7)
    std::uint8_t shift;  // position of its lowest bit in that register
    std::uint16_t major,
        minor;  // row and column of its first element; swapped if columns are contiguous
  };
  std::uint8_t bytes = 4;  // size of a piece in bytes: 1, 2 or 4
  std::uint8_t lane_bytes = 4;  // bytes accessed by a lane at once: 1, 2, 4, 8 or 16
  std::uint8_t element_bits = 32;
  std::uint16_t majors = 0, minors = 0;  // rows and columns of the matrix; swapped if columns are contiguous
  std::vector<std::array<Piece, kPieces>> phases;
  std::vector<std::array<std::uint8_t, kPieces>>
      places;  // places of its words in the fragment: row * kPieces + lane

  /// Number of bytes from the first element to the end of the last.
  std::uint64_t bytes_spanned(std::uint32_t stride) const {
    return (std::uint64_t{majors - 1u} * stride + minors) * element_bits / 8;
  }
  /// Address of a piece. `base`: address of the matrix; `stride`: distance of its rows (columns) in elements.
  std::uint32_t address(const Piece& piece, std::uint32_t base, std::uint32_t stride) const {
    return base + (piece.major * stride + piece.minor) * element_bits / 8;
  }
};

}  // namespace spica::protocol

SPICA_CHECKPOINT_POINTER(const spica::protocol::FragmentAccess, const spica::protocol::FragmentAccess)
