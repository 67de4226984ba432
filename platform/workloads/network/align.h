// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "platform/workloads/network/view.h"

namespace spica::network {

/// A loop over operands that advance together.
struct Loop {
  std::int64_t extent = 1;
  std::vector<std::int64_t> strides;  // of each operand
};

/// The parts of some axes of a view, as one axis.
Axis joined(const View& view, const std::vector<std::size_t>& axes);
Axis all_of(const View& view);

/// Loops, outermost first, that visit the elements of operands of the same extent in order, as few as possible. Empty: the
/// operands are split in ways that do not fit together.
std::optional<std::vector<Loop>> align(const std::vector<Axis>& operands);
/// Merges adjacent loops where all operands allow it.
void merge(std::vector<Loop>& loops);

}  // namespace spica::network
