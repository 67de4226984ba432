// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/expected_windows.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "platform/workloads/network/expected_product.h"

namespace spica::network {

namespace {

std::size_t at(const Array& array, std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
  return static_cast<std::size_t>(n * array.strides[0] + c * array.strides[1] + h * array.strides[2] +
                                  w * array.strides[3]);
}

/// The elements of a channel that output positions see at one place of their windows, 0 in the padding.
class WindowPlace {
 public:
  WindowPlace(const Convolution& convolution, const Array& x, std::int64_t r, std::int64_t s)
      : x_(x),
        strides_(convolution.strides),
        offset_y_(r * convolution.dilations[0] - convolution.pads[0]),
        offset_x_(s * convolution.dilations[1] - convolution.pads[1]) {}

  /// Of positions `first` and after it, counted through rows of `columns`.
  void copy(std::int64_t n, std::int64_t c, std::int64_t first, std::int64_t columns, std::int64_t count,
            double* to) const {
    std::int64_t p = first / columns, q = first % columns;
    while (count > 0) {
      const std::int64_t part = std::min(count, columns - q);
      copy_row(n, c, p * strides_[0] + offset_y_, q * strides_[1] + offset_x_, part, to);
      to += part;
      count -= part;
      q = 0;
      ++p;
    }
  }

 private:
  void copy_row(std::int64_t n, std::int64_t c, std::int64_t y, std::int64_t from, std::int64_t count,
                double* to) const {
    if (y < 0 || y >= x_.extents[2]) return void(std::fill_n(to, count, 0.0));
    const double* const line = x_.values.data() + at(x_, n, c, y, 0);
    for (std::int64_t i = 0; i < count; ++i, from += strides_[1])
      to[i] = from < 0 || from >= x_.extents[3] ? 0.0 : line[from * x_.strides[3]];
  }

  const Array& x_;
  const std::array<std::int64_t, 2> strides_;
  const std::int64_t offset_y_, offset_x_;
};

}  // namespace

void convolve(const Convolution& convolution, const Array& x, const Array& weights, const Extents& output,
              std::vector<double>& sums, std::vector<double>& sizes) {
  constexpr std::int64_t kPart = 256;  // positions whose windows are a matrix
  const std::int64_t channels = weights.extents[1], per_group = output[1] / convolution.groups,
                     depth = channels * weights.extents[2] * weights.extents[3],
                     positions = output[2] * output[3];
  std::vector<double> filters, windows(static_cast<std::size_t>(depth * kPart));
  for_each_index<1>(weights.extents, {&weights.strides}, [&](const std::array<std::int64_t, 1>& from) {
    filters.push_back(weights.values[static_cast<std::size_t>(from[0])]);
  });
  for (std::int64_t n = 0; n < output[0]; ++n)
    for (std::int64_t group = 0; group < convolution.groups; ++group)
      for (std::int64_t first = 0; first < positions; first += kPart) {
        const std::int64_t count = std::min(kPart, positions - first);
        double* row = windows.data();
        for (std::int64_t c = 0; c < channels; ++c)
          for (std::int64_t r = 0; r < weights.extents[2]; ++r)
            for (std::int64_t s = 0; s < weights.extents[3]; ++s, row += count)
              WindowPlace(convolution, x, r, s).copy(n, group * channels + c, first, output[3], count, row);
        const auto to = static_cast<std::size_t>((n * output[1] + group * per_group) * positions + first);
        multiply({filters.data() + group * per_group * depth, depth, 1}, {windows.data(), count, 1},
                 {static_cast<std::size_t>(per_group), static_cast<std::size_t>(count),
                  static_cast<std::size_t>(depth)},
                 {sums.data() + to, sizes.data() + to, static_cast<std::size_t>(positions)});
      }
}

void convolve_transposed(const Convolution& convolution, const Array& x, const Array& weights,
                         const Extents& output, std::vector<double>& sums, std::vector<double>& sizes) {
  const std::int64_t of_group = weights.extents[0] / convolution.groups, outputs = weights.extents[1];
  const auto add = [&](std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w, std::int64_t m,
                       std::int64_t r, std::int64_t s) {
    const std::int64_t row = h * convolution.strides[0] - convolution.pads[0] + r * convolution.dilations[0],
                       column =
                           w * convolution.strides[1] - convolution.pads[1] + s * convolution.dilations[1];
    if (row < 0 || column < 0 || row >= output[2] || column >= output[3]) return;
    const std::int64_t channel = c / of_group * outputs + m;
    const auto to =
        static_cast<std::size_t>(((n * output[1] + channel) * output[2] + row) * output[3] + column);
    const double product = x.values[at(x, n, c, h, w)] * weights.values[at(weights, c, m, r, s)];
    sums[to] += product;
    sizes[to] += std::abs(product);
  };
  for (std::int64_t n = 0; n < x.extents[0]; ++n)
    for (std::int64_t c = 0; c < x.extents[1]; ++c)
      for (std::int64_t h = 0; h < x.extents[2]; ++h)
        for (std::int64_t w = 0; w < x.extents[3]; ++w)
          for (std::int64_t m = 0; m < outputs; ++m)
            for (std::int64_t r = 0; r < weights.extents[2]; ++r)
              for (std::int64_t s = 0; s < weights.extents[3]; ++s) add(n, c, h, w, m, r, s);
}

void pool_windows(const Pool& pool, const Array& x, const Extents& output, std::vector<double>& values,
                  std::vector<double>& sizes) {
  std::size_t i = 0;
  for (std::int64_t n = 0; n < output[0]; ++n)
    for (std::int64_t c = 0; c < output[1]; ++c)
      for (std::int64_t p = 0; p < output[2]; ++p)
        for (std::int64_t q = 0; q < output[3]; ++q, ++i) {
          double most = -INFINITY, sum = 0, size = 0;
          std::int64_t inside = 0, padded = 0;
          for (std::int64_t r = 0; r < pool.kernel[0]; ++r)
            for (std::int64_t s = 0; s < pool.kernel[1]; ++s) {
              const std::int64_t h = p * pool.strides[0] - pool.pads[0] + r * pool.dilations[0],
                                 w = q * pool.strides[1] - pool.pads[1] + s * pool.dilations[1];
              // A window that ceil_mode moves beyond the padding counts only what is within it.
              padded += h < x.extents[2] + pool.pads[2] && w < x.extents[3] + pool.pads[3] ? 1 : 0;
              if (h < 0 || w < 0 || h >= x.extents[2] || w >= x.extents[3]) continue;
              const double one = x.values[at(x, n, c, h, w)];
              most = std::max(most, one);
              sum += one;
              size += std::abs(one);
              ++inside;
            }
          const double count = static_cast<double>(pool.counts_padding ? padded : inside);
          values[i] = pool.maximum ? most : sum / count;
          sizes[i] = size / count;
        }
}

}  // namespace spica::network
