// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/work_groups.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace spica::opencl {

namespace {

std::vector<std::size_t> divisors(std::size_t number, std::size_t limit) {
  std::vector<std::size_t> found;
  for (std::size_t divisor = 1; divisor <= std::min(number, limit); ++divisor)
    if (number % divisor == 0) found.push_back(divisor);
  return found;
}

}  // namespace

std::array<std::size_t, 3> chosen_local_size(const std::array<std::size_t, 3>& global, std::size_t limit,
                                             std::size_t lanes) {
  std::array<std::size_t, 3> best{1, 1, 1};
  // Share of busy lanes in thousandths, work items, length of the first and of the second dimension.
  std::tuple<std::size_t, std::size_t, std::size_t, std::size_t> best_rank{0, 0, 0, 0};
  for (const std::size_t x : divisors(global[0], limit))
    for (const std::size_t y : divisors(global[1], limit / x))
      for (const std::size_t z : divisors(global[2], limit / (x * y))) {
        const std::size_t items = x * y * z;
        const std::size_t warps = (items + lanes - 1) / lanes;
        const auto rank = std::make_tuple(1000 * items / (warps * lanes), items, x, y);
        if (rank <= best_rank) continue;
        best_rank = rank;
        best = {x, y, z};
      }
  return best;
}

}  // namespace spica::opencl
