// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/round_robin.h"
#include "models/base/types.h"
#include "models/isa/instruction.h"

namespace spica::simt_core {

/// An issued instruction on its way to an execution unit.
struct Dispatched {
  const isa::Instruction* instruction = nullptr;
  std::uint32_t pc = 0;
  std::uint32_t mask = 0;
  unsigned slot = 0;        // load/store unit: its slot
  base::Cycle ready = 0;    // leaves the operand stage
};

/// The dispatch buffers in front of one execution unit: a small queue per warp; the unit takes from the
/// warps in turn.
class DispatchBuffers {
 public:
  DispatchBuffers(unsigned warps, unsigned depth)
      : depth_(depth), entries_(warps * depth), heads_(warps, 0), sizes_(warps, 0), turn_(warps) {}

  bool full(unsigned warp) const { return sizes_[warp] == depth_; }
  bool empty() const { return waiting_ == 0; }

  void push(unsigned warp, const Dispatched& entry) {
    const unsigned position = heads_[warp] + sizes_[warp];
    entries_[warp * depth_ + (position < depth_ ? position : position - depth_)] = entry;
    ++sizes_[warp];
    waiting_ |= 1u << warp;
  }

  /// Takes the next instruction that is ready at `now`; nullptr when there is none. What it points at is
  /// valid until the next push().
  const Dispatched* take(base::Cycle now, unsigned& warp) {
    std::uint32_t candidates = 0;
    for (std::uint32_t rest = waiting_; rest != 0; rest &= rest - 1) {
      const auto w = static_cast<unsigned>(__builtin_ctz(rest));
      if (entries_[w * depth_ + heads_[w]].ready <= now) candidates |= 1u << w;
    }
    if (candidates == 0) return nullptr;
    warp = turn_.pick(candidates);
    const Dispatched* entry = &entries_[warp * depth_ + heads_[warp]];
    heads_[warp] = heads_[warp] + 1 == depth_ ? 0 : heads_[warp] + 1;
    if (--sizes_[warp] == 0) waiting_ &= ~(1u << warp);
    return entry;
  }

  void reset() {
    for (unsigned& size : sizes_) size = 0;
    for (unsigned& head : heads_) head = 0;
    waiting_ = 0;
    turn_.reset();
  }

 private:
  unsigned depth_;
  std::vector<Dispatched> entries_;
  std::vector<unsigned> heads_, sizes_;
  std::uint32_t waiting_ = 0;  // warps with an entry
  base::RoundRobin turn_;
};

}  // namespace spica::simt_core
