// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/rectangle.h"

#include <algorithm>

#include "platform/opencl/driver/object.h"

namespace spica::opencl {

Rectangle::Rectangle(const std::size_t* origin, const Sizes& region, std::size_t row_pitch,
                     std::size_t slice_pitch)
    : region_(region),
      row_pitch_(row_pitch != 0 ? row_pitch : region[0]),
      slice_pitch_(slice_pitch != 0 ? slice_pitch : region[1] * row_pitch_) {
  require(origin != nullptr, CL_INVALID_VALUE);
  require(row_pitch_ >= region[0], CL_INVALID_VALUE);
  require(slice_pitch_ >= region[1] * row_pitch_ && slice_pitch_ % row_pitch_ == 0, CL_INVALID_VALUE);
  std::copy_n(origin, 3, origin_.begin());
  first_ = origin_[0] + origin_[1] * row_pitch_ + origin_[2] * slice_pitch_;
}

bool Rectangle::overlaps(const Rectangle& other) const {
  const auto crosses = [&](std::size_t axis) {
    return origin_[axis] < other.origin_[axis] + region_[axis] &&
           other.origin_[axis] < origin_[axis] + region_[axis];
  };
  const bool is_inside = std::max(origin_[0], other.origin_[0]) + region_[0] <= row_pitch_;
  if (is_inside) return crosses(0) && crosses(1) && crosses(2);
  return first_ < other.end() && other.first_ < end();  // rows that reach into the next one
}

Rectangle::Sizes region_of(const std::size_t* region) {
  require(region != nullptr && region[0] != 0 && region[1] != 0 && region[2] != 0, CL_INVALID_VALUE);
  return {region[0], region[1], region[2]};
}

}  // namespace spica::opencl
