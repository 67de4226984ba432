// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/windows.h"

#include <fmt/format.h>

#include <algorithm>

namespace spica::network {

namespace {

constexpr std::int64_t kMaxWindow = std::int64_t{1} << 20;  // of strides, dilations, kernels and pads

/// An attribute with an entry for each axis, in the last entries of two.
std::array<std::int64_t, 2> pair_of(const NodeScope& scope, const char* attribute, std::size_t axes,
                                    std::int64_t least, std::int64_t otherwise) {
  const auto given = scope.node().integer_list(attribute);
  std::array<std::int64_t, 2> pair{1, 1};
  if (axes == 2) pair[0] = otherwise;
  pair[1] = otherwise;
  if (!given) return pair;
  if (given->size() != axes) throw NodeError(fmt::format("attribute '{}' needs {} entries", attribute, axes));
  for (std::size_t i = 0; i < axes; ++i) {
    if ((*given)[i] < least || (*given)[i] > kMaxWindow)
      throw NodeError(fmt::format("attribute '{}' has {}", attribute, (*given)[i]));
    pair[2 - axes + i] = (*given)[i];
  }
  return pair;
}

/// All but output sizes and automatic padding.
Windows common(const NodeScope& scope, const Extents& kernel) {
  const Extents& x = scope.extents(0);
  const std::size_t axes = x.size() - 2;
  if (x.size() < 3 || axes > 2)
    throw NodeError(fmt::format("an input with {} axes; supported: [N, C, W] and [N, C, H, W]", x.size()));
  if (kernel.size() != axes)
    throw NodeError(fmt::format("a window of {} for an input of {}", extents_text(kernel), extents_text(x)));
  Windows windows;
  for (std::size_t i = 0; i < axes; ++i) {
    if (kernel[i] < 1 || kernel[i] > kMaxWindow)
      throw NodeError(fmt::format("a window of {}", extents_text(kernel)));
    windows.kernel[2 - axes + i] = kernel[i];
    windows.input[2 - axes + i] = x[2 + i];
  }
  windows.strides = pair_of(scope, "strides", axes, 1, 1);
  windows.dilations = pair_of(scope, "dilations", axes, 1, 1);
  if (const auto pads = scope.node().integer_list("pads")) {
    if (pads->size() != 2 * axes) throw NodeError(fmt::format("attribute 'pads' needs {} entries", 2 * axes));
    for (std::size_t i = 0; i < axes; ++i)
      for (const std::size_t end : {std::size_t{0}, std::size_t{1}}) {
        const std::int64_t pad = (*pads)[end * axes + i];
        if (pad < 0 || pad > kMaxWindow) throw NodeError(fmt::format("attribute 'pads' has {}", pad));
        windows.pads[2 * end + 2 - axes + i] = pad;
      }
  }
  return windows;
}

std::string automatic_padding(const NodeScope& scope) {
  const std::string mode = scope.node().text("auto_pad", "NOTSET");
  for (const char* known : {"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"})
    if (mode == known) return mode;
  throw NodeError("attribute 'auto_pad' = '" + mode + "'; supported: NOTSET, VALID, SAME_UPPER, SAME_LOWER");
}

}  // namespace

Windows windows_of(const NodeScope& scope, const Extents& kernel) {
  Windows windows = common(scope, kernel);
  const std::string automatic = automatic_padding(scope);
  const bool rounds_up = scope.node().integer("ceil_mode", 0) != 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t window = (windows.kernel[i] - 1) * windows.dilations[i] + 1,
                       stride = windows.strides[i];
    std::int64_t& before = windows.pads[i];
    std::int64_t& after = windows.pads[2 + i];
    if (automatic == "VALID") before = after = 0;
    if (automatic.substr(0, 4) == "SAME") {
      windows.output[i] = (windows.input[i] + stride - 1) / stride;
      const std::int64_t total =
          std::max((windows.output[i] - 1) * stride + window - windows.input[i], std::int64_t{0});
      before = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
      after = total - before;
      continue;
    }
    const std::int64_t room = windows.input[i] + before + after - window;
    if (room < 0)
      throw NodeError(
          fmt::format("its window of {} is larger than the padded input of {}", window, room + window));
    windows.output[i] = room / stride + 1;
    // With rounding up, a window may begin before the padding at the end, but not in it.
    if (rounds_up && room % stride != 0 && windows.output[i] * stride < windows.input[i] + before)
      ++windows.output[i];
  }
  return windows;
}

Windows transposed_windows_of(const NodeScope& scope, const Extents& kernel) {
  Windows windows = common(scope, kernel);
  if (automatic_padding(scope) != "NOTSET") throw NodeError("attribute 'auto_pad' is not supported");
  const auto added = pair_of(scope, "output_padding", scope.extents(0).size() - 2, 0, 0);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t extra = i == 0 && scope.extents(0).size() == 3 ? 0 : added[i];
    windows.output[i] = (windows.input[i] - 1) * windows.strides[i] + extra +
                        (windows.kernel[i] - 1) * windows.dilations[i] + 1 - windows.pads[i] -
                        windows.pads[2 + i];
    if (windows.output[i] < 1) throw NodeError("its output would be empty");
  }
  return windows;
}

}  // namespace spica::network
