// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "models/base/types.h"
#include "models/simt_core/pipeline/decoded.h"
#include "models/simt_core/pipeline/warp_turn.h"

namespace spica::simt_core {

/// An issued instruction before its execution unit.
struct alignas(32) Dispatched {
  const Decoded* instruction = nullptr;
  std::uint32_t pc = 0;
  std::uint32_t mask = 0;
  std::uint16_t slot = 0;   // load/store unit: its slot
  std::uint8_t lanes = 0;   // number of active lanes
  base::Cycle ready = 0;    // cycle in which it leaves the operand stage
};

/// The dispatch buffers before one execution unit: one instruction per warp, taken in turn. All but the entries is
/// in one cache line.
class alignas(64) DispatchBuffers {
 public:
  DispatchBuffers(unsigned warps, Turns turns)
      : entries_(std::make_unique<Dispatched[]>(warps)), turn_(warps, turns) {}

  /// Warps with an instruction here.
  std::uint32_t waiting() const { return waiting_; }
  /// The instruction of a warp that has one.
  const Dispatched& front(unsigned warp) const { return entries_[warp]; }
  /// Takes it. The reference is valid until the next push() of this warp.
  const Dispatched& take_from(unsigned warp) {
    waiting_ &= ~(1u << warp);
    return entries_[warp];
  }
  /// The one of these warps whose turn it is.
  unsigned pick(std::uint32_t warps) { return turn_.pick(warps); }
  bool free(unsigned warp) const { return (waiting_ >> warp & 1) == 0; }
  bool empty() const { return waiting_ == 0; }
  /// The first cycle in which an instruction can be taken; kNever: empty.
  base::Cycle due() const { return std::max(next_, free_); }
  /// True if a single instruction can be taken in cycle `ready`: there is no other, and the unit is free.
  bool takes_at_once(base::Cycle ready) const { return waiting_ == 0 && free_ <= ready; }
  /// Takes such an instruction of this warp in cycle `ready`, bypassing the buffer.
  void pass(unsigned warp, base::Cycle ready) {
    turn_.pass(warp);
    counted_ = ready + 1;
  }
  /// The unit takes nothing before `cycle`.
  void hold_until(base::Cycle cycle) { free_ = cycle; }

  /// Requires free(warp).
  void push(unsigned warp, const Dispatched& entry) {
    entries_[warp] = entry;
    waiting_ |= 1u << warp;
    next_ = std::min(next_, entry.ready);
  }

  /// Takes the next instruction that is ready at `now`; nullptr if there is none. The pointer is valid until the next
  /// push() of its warp.
  const Dispatched* take(base::Cycle now, unsigned& warp) {
    next_ = base::kNever;
    if ((waiting_ & (waiting_ - 1)) == 0 && waiting_ != 0) {  // of one warp
      warp = static_cast<unsigned>(__builtin_ctz(waiting_));
      const Dispatched* entry = &front(warp);
      if (entry->ready > now) {
        next_ = entry->ready;
        return nullptr;
      }
      count(entry->ready, now);
      turn_.pass(warp);
      waiting_ = ready_ = 0;
      return entry;
    }
    base::Cycle asked = ready_ != 0 ? counted_ : base::kNever;
    for (std::uint32_t rest = waiting_ & ~ready_; rest != 0; rest &= rest - 1) {
      const auto w = static_cast<unsigned>(__builtin_ctz(rest));
      const base::Cycle ready = front(w).ready;
      if (ready > now) {
        next_ = std::min(next_, ready);
        continue;
      }
      ready_ |= 1u << w;
      asked = std::min(asked, ready);
    }
    if (ready_ == 0) return nullptr;
    count(asked, now);
    warp = turn_.pick(ready_);
    ready_ &= ~(1u << warp);
    waiting_ &= ~(1u << warp);
    if (ready_ != 0) next_ = now;
    return &entries_[warp];
  }

  void reset() {
    waiting_ = ready_ = 0;
    next_ = base::kNever;
    free_ = counted_ = 0;
    turn_.reset();
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(next_, free_, counted_, waiting_, ready_, turn_);
    for (std::uint32_t rest = waiting_; rest != 0; rest &= rest - 1)
      archive(entries_[static_cast<unsigned>(__builtin_ctz(rest))]);
  }

 private:
  /// An instruction is taken in cycle `now`; the first one has asked since `asked`.
  void count(base::Cycle asked, base::Cycle now) {
    const base::Cycle from = std::max(asked, counted_);
    if (from < now) turn_.wait(now - from);
    counted_ = now + 1;
  }

  base::Cycle next_ = base::kNever;  // first cycle in which an instruction leaves the operand stage
  base::Cycle free_ = 0;  // first cycle in which the unit can take one
  base::Cycle counted_ = 0;  // first cycle that is not counted for the turn
  std::uint32_t waiting_ = 0;  // warps with an entry
  std::uint32_t ready_ = 0;  // warps whose entry is known to be ready
  std::unique_ptr<Dispatched[]> entries_;
  WarpTurn turn_;
};

}  // namespace spica::simt_core
