// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace spica::opencl {

/// A box of bytes in linear memory: its first byte, and the distances of rows and slices.
class Rectangle {
 public:
  using Sizes = std::array<std::size_t, 3>;

  /// `origin` and `region` as in clEnqueueReadBufferRect: bytes, rows, slices. A pitch of 0 is the smallest
  /// one. Throws CL_INVALID_VALUE.
  Rectangle(const std::size_t* origin, const Sizes& region, std::size_t row_pitch, std::size_t slice_pitch);

  /// Offset of the first byte of a row.
  std::size_t row(std::size_t row, std::size_t slice) const {
    return first_ + row * row_pitch_ + slice * slice_pitch_;
  }
  /// Behind the last byte.
  std::size_t end() const { return row(region_[1] - 1, region_[2] - 1) + region_[0]; }
  std::size_t row_pitch() const { return row_pitch_; }
  std::size_t slice_pitch() const { return slice_pitch_; }
  /// Two boxes of the same region and the same pitches in one buffer have bytes in common.
  bool overlaps(const Rectangle& other) const;

 private:
  Sizes origin_{}, region_;
  std::size_t row_pitch_, slice_pitch_, first_;
};

/// Reads a region. Throws CL_INVALID_VALUE: null, or nothing in it.
Rectangle::Sizes region_of(const std::size_t* region);

}  // namespace spica::opencl
