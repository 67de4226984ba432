// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace spica::tensor_core::warp_mma {

inline constexpr unsigned kLanes = 32;

/// Row and column of an element of a matrix.
struct Place {
  unsigned row = 0, column = 0;
};
constexpr bool operator==(const Place& a, const Place& b) { return a.row == b.row && a.column == b.column; }

/// The mapping of matrix elements to lanes: element x of a lane's fragment is one matrix element.
///
/// In all maps of the published tensor cores, each bit of the row and of the column is a bit of the lane number
/// (l0..l4) or of x (x0..x4). A map is written as these names, lowest bit first. Lane bits that no coordinate uses make
/// copies: lanes that differ only in them hold the same elements.
class FragmentMap {
 public:
  constexpr FragmentMap() = default;
  /// For example FragmentMap("l0 l1 l4 l2", "x0 x1 x2 x3"): a 16x16 matrix, 16 elements per lane, two copies.
  constexpr FragmentMap(std::string_view row, std::string_view column)
      : row_(parse(row)), column_(parse(column)) {}

  constexpr unsigned rows() const { return 1u << row_.count; }
  constexpr unsigned columns() const { return 1u << column_.count; }
  /// Elements per lane.
  constexpr unsigned elements() const { return 1u << (row_.of_x + column_.of_x); }
  /// Lanes that hold each element.
  constexpr unsigned copies() const {
    return 1u << (5 - (row_.count - row_.of_x) - (column_.count - column_.of_x));
  }

  bool operator==(const FragmentMap& other) const {
    return row_.source == other.row_.source && row_.count == other.row_.count &&
           column_.source == other.column_.source && column_.count == other.column_.count;
  }

  constexpr Place place(unsigned lane, unsigned x) const {
    return {row_.value(lane, x), column_.value(lane, x)};
  }

  struct Holder {
    unsigned lane = 0, x = 0;
  };
  /// The lane and x that hold the element at `place`. Of several copies, that of the lane that agrees with `like` in
  /// the bits that distinguish copies.
  constexpr Holder holder(Place place, unsigned like) const {
    Holder holder{like, 0};
    row_.choose(place.row, holder.lane, holder.x);
    column_.choose(place.column, holder.lane, holder.x);
    return holder;
  }

  /// The number of consecutive elements, from 0 on, that are adjacent in a row (`along_rows`) or in a column; the next
  /// ones form runs of the same length.
  constexpr unsigned run(bool along_rows) const {
    const Bits& bits = along_rows ? column_ : row_;
    unsigned count = 0;
    while (count < bits.count && bits.source[count] == kX + count) ++count;
    return 1u << count;
  }

 private:
  static constexpr std::uint8_t kX = 8;  // x0; below: l0..l4
  struct Bits {
    std::array<std::uint8_t, 6> source{};
    unsigned count = 0, of_x = 0;

    constexpr unsigned value(unsigned lane, unsigned x) const {
      unsigned result = 0;
      for (unsigned i = 0; i < count; ++i)
        result |= ((source[i] < kX ? lane >> source[i] : x >> (source[i] - kX)) & 1) << i;
      return result;
    }
    constexpr void choose(unsigned coordinate, unsigned& lane, unsigned& x) const {
      for (unsigned i = 0; i < count; ++i) {
        unsigned& target = source[i] < kX ? lane : x;
        const unsigned bit = source[i] < kX ? source[i] : source[i] - kX;
        target = (target & ~(1u << bit)) | (coordinate >> i & 1) << bit;
      }
    }
  };
  static constexpr Bits parse(std::string_view text) {
    Bits bits;
    for (std::size_t i = 0; i + 1 < text.size(); i += 3) {
      const bool of_x = text[i] == 'x';
      bits.source[bits.count++] = static_cast<std::uint8_t>(text[i + 1] - '0' + (of_x ? kX : 0));
      bits.of_x += of_x;
    }
    return bits;
  }

  Bits row_, column_;
};

}  // namespace spica::tensor_core::warp_mma
