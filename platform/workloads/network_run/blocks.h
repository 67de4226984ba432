// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "platform/workloads/network/graph.h"

namespace spica::network {

/// Consecutive sections of equal operators. The first two run; later ones take the times of the second.
struct Blocks {
  std::size_t first = 0, length = 0, count = 0;  // in operators; count: of blocks, 0 without any

  /// The operator of the second block that this one of a later block is equal to; kNone: it runs itself.
  std::size_t equal_to(std::size_t op) const {
    if (op < first + 2 * length || op >= first + count * length) return kNone;
    return first + length + (op - first) % length;
  }
};

/// The blocks that save the most operators, at least three, of at least three operators each. `keys`: equal texts
/// for operators that are equal in all that decides their time.
Blocks find_blocks(const std::vector<std::string>& keys);

}  // namespace spica::network
