// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/expected_windows.h"

#include <algorithm>
#include <cmath>

namespace spica::network {

namespace {

std::size_t at(const Array& array, std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
  return static_cast<std::size_t>(n * array.strides[0] + c * array.strides[1] + h * array.strides[2] +
                                  w * array.strides[3]);
}

/// Output columns first to end - 1 have their element of a row within the image.
struct Columns {
  std::int64_t first, end;

  Columns(std::int64_t offset, std::int64_t stride, std::int64_t width, std::int64_t columns)
      : first(offset < 0 ? (-offset + stride - 1) / stride : 0),
        end(offset >= width ? 0 : std::min(columns, (width - 1 - offset) / stride + 1)) {}
};

}  // namespace

void convolve(const Convolution& convolution, const Array& x, const Array& weights, const Extents& output,
              std::vector<double>& sums, std::vector<double>& sizes) {
  const std::int64_t channels = weights.extents[1], per_group = output[1] / convolution.groups;
  const std::int64_t height = x.extents[2], width = x.extents[3];
  const auto [stride_y, stride_x] = convolution.strides;
  std::size_t row = 0;  // of the output, its first element
  for (std::int64_t n = 0; n < output[0]; ++n)
    for (std::int64_t m = 0; m < output[1]; ++m)
      for (std::int64_t p = 0; p < output[2]; ++p, row += static_cast<std::size_t>(output[3]))
        for (std::int64_t c = 0; c < channels; ++c)
          for (std::int64_t r = 0; r < weights.extents[2]; ++r) {
            const std::int64_t y = p * stride_y - convolution.pads[0] + r * convolution.dilations[0];
            if (y < 0 || y >= height) continue;
            for (std::int64_t s = 0; s < weights.extents[3]; ++s) {
              const double weight = weights.values[at(weights, m, c, r, s)];
              const std::int64_t offset = s * convolution.dilations[1] - convolution.pads[1];
              const Columns columns(offset, stride_x, width, output[3]);
              const double* const line = x.values.data() + at(x, n, m / per_group * channels + c, y, 0);
              for (std::int64_t q = columns.first; q < columns.end; ++q) {
                const double product = weight * line[(q * stride_x + offset) * x.strides[3]];
                sums[row + static_cast<std::size_t>(q)] += product;
                sizes[row + static_cast<std::size_t>(q)] += std::abs(product);
              }
            }
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
