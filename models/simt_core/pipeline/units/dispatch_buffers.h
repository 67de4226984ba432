// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "models/base/round_robin.h"
#include "models/base/types.h"
#include "models/simt_core/pipeline/decoded.h"

namespace spica::simt_core {

/// An issued instruction on its way to an execution unit.
struct alignas(32) Dispatched {
  const Decoded* instruction = nullptr;
  std::uint32_t pc = 0;
  std::uint32_t mask = 0;
  std::uint16_t slot = 0;   // load/store unit: its slot
  std::uint8_t lanes = 0;   // active ones
  base::Cycle ready = 0;    // leaves the operand stage
};

/// The dispatch buffers in front of one execution unit: a small queue per warp; the unit takes from the
/// warps in turn. All but the entries of up to 8 warps is in one cache line.
class alignas(64) DispatchBuffers {
 public:
  DispatchBuffers(unsigned warps, unsigned depth)
      : entries_(std::make_unique<Dispatched[]>(warps * depth)),
        turn_(warps),
        depth_(static_cast<std::uint8_t>(depth)) {}

  /// Warps with an instruction here.
  std::uint32_t waiting() const { return waiting_; }
  const Dispatched& front(unsigned warp) const { return entries_[warp * depth_ + queues_[warp].head]; }
  /// Takes the next instruction of this warp, which has one. What it points at is valid until the next push().
  const Dispatched& take_from(unsigned warp) {
    const Dispatched& entry = front(warp);
    leave(warp);
    return entry;
  }
  bool full(unsigned warp) const { return queues_[warp].size == depth_; }
  bool empty() const { return waiting_ == 0; }
  /// Nothing can be taken before this cycle; kNever: it is empty.
  base::Cycle due() const { return std::max(next_, free_); }
  /// An instruction that came alone could be taken in cycle `ready`: there is no other, and the unit is free.
  bool takes_at_once(base::Cycle ready) const { return waiting_ == 0 && free_ <= ready; }
  /// That instruction, of this warp, is taken without having waited here.
  void pass(unsigned warp) { turn_.pass(warp); }
  /// The unit takes nothing before `cycle`.
  void hold_until(base::Cycle cycle) { free_ = cycle; }

  void push(unsigned warp, const Dispatched& entry) {
    Queue& queue = queues_[warp];
    const unsigned position = unsigned{queue.head} + queue.size++;
    entries_[warp * depth_ + (position < depth_ ? position : position - depth_)] = entry;
    waiting_ |= 1u << warp;
    next_ = std::min(next_, entry.ready);
  }

  /// Takes the next instruction that is ready at `now`; nullptr when there is none. What it points at is
  /// valid until the next push().
  const Dispatched* take(base::Cycle now, unsigned& warp) {
    next_ = base::kNever;
    if ((waiting_ & (waiting_ - 1)) == 0 && waiting_ != 0) {  // of one warp
      warp = static_cast<unsigned>(__builtin_ctz(waiting_));
      const Dispatched* entry = &front(warp);
      if (entry->ready > now) {
        next_ = entry->ready;
        return nullptr;
      }
      turn_.pass(warp);
      ready_ = 0;
      leave(warp);
      return entry;
    }
    for (std::uint32_t rest = waiting_ & ~ready_; rest != 0; rest &= rest - 1) {
      const auto w = static_cast<unsigned>(__builtin_ctz(rest));
      const base::Cycle ready = front(w).ready;
      if (ready <= now) ready_ |= 1u << w;
      else next_ = std::min(next_, ready);
    }
    if (ready_ == 0) return nullptr;
    warp = turn_.pick(ready_);
    ready_ &= ~(1u << warp);
    const Dispatched* entry = &front(warp);
    leave(warp);
    if (ready_ != 0) next_ = now;
    return entry;
  }

  void reset() {
    queues_.fill({});
    waiting_ = ready_ = 0;
    next_ = base::kNever;
    free_ = 0;
    turn_.reset();
  }

 private:
  struct Queue {
    std::uint8_t head = 0, size = 0;
  };
  /// The first instruction of the warp leaves.
  void leave(unsigned warp) {
    Queue& queue = queues_[warp];
    queue.head = static_cast<std::uint8_t>(queue.head + 1 == depth_ ? 0 : queue.head + 1);
    if (--queue.size == 0) waiting_ &= ~(1u << warp);
    else next_ = std::min(next_, front(warp).ready);
  }
  base::Cycle next_ = base::kNever;  // an instruction leaves the operand stage
  base::Cycle free_ = 0;  // the unit can take one
  std::uint32_t waiting_ = 0;  // warps with an entry
  std::uint32_t ready_ = 0;  // those whose first one is known to be ready
  std::unique_ptr<Dispatched[]> entries_;
  base::RoundRobin turn_;
  std::uint8_t depth_;
  std::array<Queue, 32> queues_{};  // by warp
};

}  // namespace spica::simt_core
