// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "platform/workloads/network/graph.h"

namespace spica::network {

/// Operators begin to end - 1.
struct OperatorRange {
  std::size_t begin = 0, end = 0;

  bool contains(std::size_t op) const { return op >= begin && op < end; }
};

/// Consecutive sections of equal operators. The first two run; later ones take the times of the second.
struct Blocks {
  std::size_t first = 0, length = 0, count = 0;  // in operators; count: of blocks, 0 without any

  /// The operator of the second block that this one of a later block is equal to; kNone: it runs itself.
  std::size_t equal_to(std::size_t op) const {
    if (op < first + 2 * length || op >= first + count * length) return kNone;
    return first + length + (op - first) % length;
  }
  /// What is in front of the blocks, and each block.
  std::vector<OperatorRange> sections() const {
    std::vector<OperatorRange> ranges;
    if (first != 0) ranges.push_back({0, first});
    for (std::size_t i = 0; i < count; ++i) ranges.push_back({first + i * length, first + (i + 1) * length});
    return ranges;
  }
};

/// The blocks that save the most operators, at least three, of at least three operators each. `keys`: equal texts
/// for operators that are equal in all that decides their time.
Blocks find_blocks(const std::vector<std::string>& keys);

}  // namespace spica::network
