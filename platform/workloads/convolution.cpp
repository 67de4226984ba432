// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/convolution.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

#include "platform/base/input/user_error.h"

namespace spica::workloads {

namespace {

constexpr std::uint32_t kMostExtent = 9'999'999;

std::uint32_t up(std::uint32_t value, std::uint32_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// What a channel count is rounded up to: 32 bytes, which a transfer of the DMA moves at least.
std::uint32_t channel_group(Element element) { return 32 / element_bytes(element); }

std::optional<std::uint32_t> number_of(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > kMostExtent) return std::nullopt;
  return number;
}

/// "AxBxC", all of them at least 1.
std::optional<std::array<std::uint32_t, 3>> extents_of(std::string_view text) {
  std::array<std::uint32_t, 3> extents{};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t end = i < 2 ? text.find('x') : text.size();
    if (end == std::string_view::npos) return std::nullopt;
    const auto number = number_of(text.substr(0, end));
    if (!number || *number == 0) return std::nullopt;
    extents[i] = *number;
    text.remove_prefix(i < 2 ? end + 1 : end);
  }
  return extents;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t end = 0; end != std::string_view::npos;
       text.remove_prefix(std::min(text.size(), end + 1))) {
    end = text.find(',');
    parts.push_back(text.substr(0, end));
  }
  return parts;
}

/// Pixels of a row of the image in memory, with what surrounds it: a multiple of the stride.
std::uint32_t row_pixels(const Convolution& c) { return up(c.width + 2 * c.padding, c.stride); }

}  // namespace

std::uint64_t Convolution::macs() const {
  return std::uint64_t{images} * output_height() * output_width() * filters * filter_height * filter_width *
         channels;
}

std::string Convolution::text() const {
  std::string text =
      fmt::format("{}x{}x{},{}x{}x{}", height, width, channels, filters, filter_height, filter_width);
  if (stride != 1) text += fmt::format(",stride={}", stride);
  if (padding != 0) text += fmt::format(",padding={}", padding);
  if (images != 1) text += fmt::format(",images={}", images);
  return text;
}

Convolution parse_convolution(const std::string& text) {
  const auto bad = [&](const std::string& why) {
    throw input::UserError(fmt::format(
        "convolution '{}': {}; for example 56x56x64,64x3x3,padding=1: height x width x channels of the image, filters x height "
        "x width, and stride=N, padding=N, images=N as needed",
        text, why));
  };
  const std::vector<std::string_view> parts = split(text);
  const auto image = extents_of(parts[0]);
  if (!image) bad(fmt::format("'{}' is not HEIGHTxWIDTHxCHANNELS", parts[0]));
  const auto filter = parts.size() > 1 ? extents_of(parts[1]) : std::nullopt;
  if (!filter) bad(fmt::format("'{}' is not FILTERSxHEIGHTxWIDTH", parts.size() > 1 ? parts[1] : ""));
  Convolution c;
  c.height = (*image)[0], c.width = (*image)[1], c.channels = (*image)[2];
  c.filters = (*filter)[0], c.filter_height = (*filter)[1], c.filter_width = (*filter)[2];
  const struct {
    std::string_view name;
    std::uint32_t *value, least;
  } options[] = {{"stride", &c.stride, 1}, {"padding", &c.padding, 0}, {"images", &c.images, 1}};
  for (std::size_t i = 2; i < parts.size(); ++i) {
    bool known = false;
    for (const auto& option : options) {
      if (parts[i].substr(0, parts[i].find('=')) != option.name) continue;
      const auto number = number_of(parts[i].substr(std::min(parts[i].size(), option.name.size() + 1)));
      known = number && *number >= option.least;
      if (known) *option.value = *number;
    }
    if (!known) bad(fmt::format("'{}' is not one of stride=N, padding=N, images=N", parts[i]));
  }
  if (c.filter_height > c.height + 2 * c.padding || c.filter_width > c.width + 2 * c.padding)
    bad(fmt::format("the filter is larger than the image, which is {}x{} with its padding",
                    c.height + 2 * c.padding, c.width + 2 * c.padding));
  return c;
}

ImplicitGemm implicit_gemm(const Convolution& c, std::uint32_t tile_k, Element element) {
  ImplicitGemm gemm;
  const std::uint32_t channels = up(c.channels, channel_group(element)), pixels = row_pixels(c);
  gemm.grid_width = pixels / c.stride;
  gemm.grid_height = up(c.height + 2 * c.padding, c.stride) / c.stride;
  gemm.view.leading = c.stride * channels;
  gemm.view.run = up(c.filter_width * channels, tile_k);
  gemm.view.starts.clear();
  const std::uint64_t rows = std::uint64_t{c.images} * gemm.grid_height;  // of a kind in memory
  for (std::uint32_t row = 0; row < c.filter_height; ++row)
    gemm.view.starts.push_back(
        static_cast<std::uint32_t>((row % c.stride * rows + row / c.stride) * pixels * channels));
  const std::uint64_t m = gemm.row(c.images - 1, c.output_height() - 1, c.output_width() - 1) + 1;
  const std::uint64_t k = std::uint64_t{c.filter_height} * gemm.view.run;
  if (m > kMostExtent || k > kMostExtent || rows * c.stride * pixels * channels > 0x4000'0000)
    throw input::UserError(fmt::format("convolution {}: it is too large; reduce the images", c.text()));
  gemm.size = {static_cast<std::uint32_t>(m), c.filters, static_cast<std::uint32_t>(k)};
  return gemm;
}

std::vector<float> image_memory(const Convolution& c, const ImplicitGemm& gemm, std::uint32_t m,
                                const std::vector<float>& image) {
  const std::uint32_t channels = gemm.view.leading / c.stride, pixels = row_pixels(c);
  const std::uint64_t rows = std::uint64_t{c.images} * gemm.grid_height;
  std::vector<float> memory(
      std::max(elements_of(gemm.view, OperandLayout::kAlongK, {m, gemm.size.n, gemm.size.k}),
               rows * c.stride * pixels * channels));
  std::uint64_t next = 0;
  for (std::uint64_t number = 0; number < c.images; ++number)
    for (std::uint32_t y = c.padding; y < c.padding + c.height; ++y)
      for (std::uint32_t x = c.padding; x < c.padding + c.width; ++x) {
        const std::uint64_t row = y % c.stride * rows + number * gemm.grid_height + y / c.stride;
        for (std::uint32_t channel = 0; channel < c.channels; ++channel)
          memory[(row * pixels + x) * channels + channel] = image[next++];
      }
  return memory;
}

std::vector<float> filter_matrix(const Convolution& c, const ImplicitGemm& gemm, std::uint32_t k,
                                 std::uint32_t n, const std::vector<float>& filters) {
  const std::uint32_t channels = gemm.view.leading / c.stride;
  std::vector<float> matrix(std::uint64_t{k} * n);
  std::uint64_t next = 0;
  for (std::uint32_t filter = 0; filter < c.filters; ++filter)
    for (std::uint32_t y = 0; y < c.filter_height; ++y)
      for (std::uint32_t x = 0; x < c.filter_width; ++x)
        for (std::uint32_t channel = 0; channel < c.channels; ++channel)
          matrix[(std::uint64_t{y} * gemm.view.run + x * channels + channel) * n + filter] = filters[next++];
  return matrix;
}

}  // namespace spica::workloads
