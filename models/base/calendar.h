// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/invariant.h"
#include "models/base/types.h"

namespace spica::base {

/// Cycles from `from` to the first one marked in a ring of 64 cycles, a bit for each modulo 64; `ring` is not 0.
inline unsigned distance_in_ring(std::uint64_t ring, Cycle from) {
  const std::uint64_t ahead = ring >> from % 64 | ring << -from % 64;
  return static_cast<unsigned>(__builtin_ctzll(ahead));
}

/// Events due within the next 63 cycles: 64 slots and a bit mask, which beats a heap at these distances.
/// Events stay in a few nodes that are used again and again, so that a calendar touches little memory.
/// Longer delays go to an overflow list that is looked at only when it is not empty.
template <class Event>
class Calendar {
 public:
  /// `due` must be later than `now`.
  void schedule(Cycle now, Cycle due, const Event& event) {
    SPICA_INVARIANT(due > now);
    ++size_;
    if (due - now >= kSlots) {
      far_.push_back({due, event});
      return;
    }
    const std::uint16_t node = new_node(event);
    Slot& slot = slots_[due % kSlots];
    if ((mask_ & bit(due)) != 0) nodes_[slot.last].next = node;
    else slot.first = node;
    slot.last = node;
    mask_ |= bit(due);
  }

  /// Calls `take(event)` for each event due in cycle `now`, in the order in which they were scheduled
  /// (far ones first). Every cycle with an event due must be visited.
  template <class Take>
  void take_due(Cycle now, Take&& take) {
    if (!far_.empty()) take_far(now, take);
    if ((mask_ & bit(now)) == 0) return;
    mask_ &= ~bit(now);
    for (std::uint16_t node = slots_[now % kSlots].first; node != kNone;) {
      const Event event = nodes_[node].event;  // a copy: take() may schedule
      const std::uint16_t next = nodes_[node].next;
      nodes_[node].next = free_;
      free_ = node;
      --size_;
      take(event);
      node = next;
    }
  }

  /// The next cycle after `now` with an event, or kNever.
  Cycle next(Cycle now) const {
    Cycle first = kNever;
    if (mask_ != 0) first = now + 1 + distance_in_ring(mask_, now + 1);
    for (const Far& entry : far_) first = entry.due < first ? entry.due : first;
    return first;
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  void clear() {
    far_.clear();
    nodes_.clear();
    free_ = kNone;
    mask_ = 0;
    size_ = 0;
  }

 private:
  static constexpr unsigned kSlots = 64;
  static constexpr std::uint16_t kNone = 0xFFFF;
  struct Node {
    Event event;
    std::uint16_t next;  // in the same cycle, or free
  };
  struct Slot {
    std::uint16_t first, last;  // nodes; valid when the bit in mask_ is set
  };
  struct Far {
    Cycle due;
    Event event;
  };
  static std::uint64_t bit(Cycle cycle) { return std::uint64_t{1} << (cycle % kSlots); }

  template <class Take>
  void take_far(Cycle now, Take& take) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < far_.size(); ++i) {
      if (far_[i].due == now) {
        --size_;
        take(far_[i].event);
      } else {
        far_[kept++] = far_[i];
      }
    }
    far_.resize(kept);
  }

  std::uint16_t new_node(const Event& event) {
    const std::uint16_t node = free_;
    if (node == kNone) {
      SPICA_INVARIANT(nodes_.size() < kNone);
      nodes_.push_back({event, kNone});
      return static_cast<std::uint16_t>(nodes_.size() - 1);
    }
    free_ = nodes_[node].next;
    nodes_[node] = {event, kNone};
    return node;
  }

  std::uint64_t mask_ = 0;
  std::size_t size_ = 0;
  std::vector<Node> nodes_;
  std::uint16_t free_ = kNone;
  std::vector<Far> far_;
  Slot slots_[kSlots];
};

}  // namespace spica::base
