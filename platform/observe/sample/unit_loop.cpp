// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/sample/unit_loop.h"

#include <fmt/format.h>

#include <algorithm>

namespace spica::sample {

namespace {

/// Units in the loops from `first` on; 0: a step is 0, or one is missing.
std::uint64_t units_of(const std::vector<std::uint32_t>& loops, std::size_t first = 0) {
  std::uint64_t units = 1;
  if (loops.empty() || loops.size() % 2 != 0) return 0;
  for (std::size_t i = 2 * first; i < loops.size(); i += 2) {
    if (loops[i + 1] == 0) return 0;
    units *= (std::uint64_t{loops[i]} + loops[i + 1] - 1) / loops[i + 1];
  }
  return units;
}

}  // namespace

/// Of the unit with this number.
std::uint32_t UnitLoop::variable(std::uint64_t unit, std::size_t loop) const {
  const std::uint64_t inside = std::max<std::uint64_t>(units_of(loops_, loop + 1), 1);
  const std::uint64_t turns = std::max<std::uint64_t>(units_of(loops_, loop) / inside, 1);
  return static_cast<std::uint32_t>(unit / inside % turns * loops_[2 * loop + 1]);
}

void UnitLoop::begin_unit(Warp& warp) {
  if (loops_.empty()) {
    const std::uint64_t units = units_of(warp.loops);
    const std::size_t nested = warp.loops.size() / 2;
    refusal_ = units == 0 ? "a warp begins a unit outside a loop of units"
                          : begin_(units, nested > 1 ? units_of(warp.loops, nested - 1) : 1);
    loops_ = warp.loops;
  } else if (loops_ != warp.loops) {
    refusal_ = fmt::format("warps have different loops of units, of {} and {} units", units_of(loops_),
                           units_of(warp.loops));
  }
  if (!refusal_.empty()) return;
  if (warp.begun == order_.size()) {
    if (queue_.any()) order_.push_back(queue_.take());
    else refusal_ = "a warp begins more units than its loops have";
  }
  ++warp.begun;
}

std::uint32_t UnitLoop::follow(const protocol::UnitMark& mark) {
  if (!refusal_.empty()) return mark.value;
  Warp& warp = warps_[{mark.core, mark.warp}];
  if (mark.kind == protocol::UnitMark::Kind::kLoop) {
    if (warp.begun != 0) refusal_ = "the program has more than one nest of loops of units";
    warp.loops.push_back(mark.value);
    return mark.value;
  }
  if (warp.part == 0) begin_unit(warp);
  if (!refusal_.empty()) return mark.value;
  const std::size_t loop = warp.part++;
  if (2 * warp.part == loops_.size()) warp.part = 0;
  return variable(order_[warp.begun - 1], loop);
}

}  // namespace spica::sample
