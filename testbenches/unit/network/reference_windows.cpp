// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "testbenches/unit/network/reference_access.h"

namespace spica::network {

namespace {

/// The place in x of element `at` of y along an axis.
double source(const Resize& resize, double scale, std::int64_t at, std::int64_t from, std::int64_t to) {
  const auto index = static_cast<double>(at);
  if (resize.coordinates == "asymmetric") return index / scale;
  if (resize.coordinates == "align_corners")
    return to == 1 ? 0 : index * static_cast<double>(from - 1) / static_cast<double>(to - 1);
  if (resize.coordinates == "pytorch_half_pixel" && to == 1) return 0;
  return (index + 0.5) / scale - 0.5;
}

}  // namespace

void compute_pad(const Pad& pad, const Accessor& x, const Accessor& y) {
  for_each(y.extents(), [&](const Extents& index) {
    Extents from = index;
    bool inside = true;
    for (std::size_t i = 0; i < from.size(); ++i) {
      const std::int64_t last = x.extent(i) - 1;
      from[i] -= pad.before[i];
      inside = inside && from[i] >= 0 && from[i] <= last;
      if (pad.mode == Pad::Mode::kEdge) from[i] = std::clamp(from[i], std::int64_t{0}, last);
      if (pad.mode == Pad::Mode::kReflect)
        from[i] = from[i] < 0 ? -from[i] : from[i] > last ? 2 * last - from[i] : from[i];
    }
    y.at(index) = inside || pad.mode != Pad::Mode::kConstant ? x.at(from) : pad.value;
  });
}

void compute_resize(const Resize& resize, const Accessor& x, const Accessor& y) {
  const auto nearest = [&](double place) {
    if (resize.rounding == "floor") return std::floor(place);
    if (resize.rounding == "ceil") return std::ceil(place);
    return resize.rounding == "round_prefer_ceil" ? std::floor(place + 0.5) : std::ceil(place - 0.5);
  };
  for_each(y.extents(), [&](const Extents& i) {
    double place[2];
    for (const std::size_t axis : {std::size_t{0}, std::size_t{1}})
      place[axis] = source(resize, resize.scales[axis], i[2 + axis], x.extent(2 + axis), y.extent(2 + axis));
    const auto at = [&](double row, double column) {
      return x.at({i[0], i[1], std::clamp(static_cast<std::int64_t>(row), std::int64_t{0}, x.extent(2) - 1),
                   std::clamp(static_cast<std::int64_t>(column), std::int64_t{0}, x.extent(3) - 1)});
    };
    if (resize.mode == Resize::Mode::kNearest) {
      y.at(i) = at(nearest(place[0]), nearest(place[1]));
      return;
    }
    const double row = std::floor(place[0]), column = std::floor(place[1]), down = place[0] - row,
                 across = place[1] - column;
    y.at(i) = (1 - down) * ((1 - across) * at(row, column) + across * at(row, column + 1)) +
              down * ((1 - across) * at(row + 1, column) + across * at(row + 1, column + 1));
  });
}

void compute_pool(const Pool& pool, const Accessor& x, const Accessor& y) {
  for_each(y.extents(), [&](const Extents& i) {
    double result = pool.maximum ? -std::numeric_limits<double>::infinity() : 0;
    double count = 0;
    for_each({pool.kernel[0], pool.kernel[1]}, [&](const Extents& j) {
      std::int64_t place[2];
      bool inside = true, padded = true;
      for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
        place[axis] = i[2 + axis] * pool.strides[axis] - pool.pads[axis] + j[axis] * pool.dilations[axis];
        inside = inside && place[axis] >= 0 && place[axis] < x.extent(2 + axis);
        padded = padded && place[axis] < x.extent(2 + axis) + pool.pads[2 + axis];
      }
      if (padded && (inside || pool.counts_padding)) ++count;
      if (!inside) return;
      const double value = x.at({i[0], i[1], place[0], place[1]});
      result = pool.maximum ? std::max(result, value) : result + value;
    });
    y.at(i) = pool.maximum ? result : result / count;
  });
}

}  // namespace spica::network
