// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/base/cycle_ring.h"
#include "models/base/invariant.h"
#include "models/base/types.h"

namespace spica::base {

/// Events due within the next 63 cycles. They are kept in a few reused nodes, so a calendar touches little memory.
/// Longer delays go to an overflow list, which is read only when it is not empty.
template <class Event>
class Calendar {
 public:
  /// `due` must be later than `now`.
  void schedule(Cycle now, Cycle due, const Event& event) {
    SPICA_INVARIANT(due > now);
    ++size_;
    if (due - now >= CycleRing::kCycles) {
      add_far({due, event});
      return;
    }
    const std::uint16_t node = new_node(event);
    Slot& slot = slots_[due % CycleRing::kCycles];
    if (cycles_.marked(due)) nodes_[slot.last].next = node;
    else slot.first = node;
    slot.last = node;
    cycles_.mark(due);
  }

  /// Calls `take(event)` for each event due in cycle `now`, in scheduling order (events of the overflow list first).
  /// Must be called in every cycle with an event due.
  template <class Take>
  void take_due(Cycle now, Take&& take) {
    if (first_far() == now) take_far(now, take);
    if (!cycles_.marked(now)) return;
    cycles_.unmark(now);
    for (std::uint16_t node = slots_[now % CycleRing::kCycles].first; node != kNone;) {
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
    const Cycle near = cycles_.next(now + 1);
    return first_far() < near ? first_far() : near;
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  void clear() {
    far_.clear();
    far_taken_ = 0;
    nodes_.clear();
    free_ = kNone;
    cycles_ = {};
    size_ = 0;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(cycles_, size_, nodes_, free_, far_, far_taken_, slots_);
  }

 private:
  static constexpr std::uint16_t kNone = 0xFFFF;
  struct Node {
    Event event;
    std::uint16_t next = kNone;  // in the same cycle, or free
  };
  struct Slot {
    std::uint16_t first, last;  // nodes; valid when the cycle is marked
  };
  struct Far {
    Cycle due;
    Event event;
  };

  static constexpr std::size_t kFarTaken = 64;  // entries removed from the list at once

  Cycle first_far() const { return far_taken_ == far_.size() ? kNever : far_[far_taken_].due; }
  /// Delays are similar, so the new entry nearly always goes to the end.
  void add_far(const Far& entry) {
    auto place = far_.end();
    const auto first = far_.begin() + static_cast<std::ptrdiff_t>(far_taken_);
    while (place != first && entry.due < (place - 1)->due) --place;
    far_.insert(place, entry);
  }
  template <class Take>
  void take_far(Cycle now, Take& take) {
    while (first_far() == now) {
      const Event event = far_[far_taken_].event;  // a copy: take() may schedule
      ++far_taken_;
      --size_;
      take(event);
    }
    if (far_taken_ < kFarTaken && far_taken_ != far_.size()) return;
    far_.erase(far_.begin(), far_.begin() + static_cast<std::ptrdiff_t>(far_taken_));
    far_taken_ = 0;
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

  CycleRing cycles_;
  std::size_t size_ = 0;
  std::vector<Node> nodes_;
  std::uint16_t free_ = kNone;
  std::vector<Far> far_;  // sorted by cycle
  std::size_t far_taken_ = 0;  // number of entries already taken, from the front
  std::array<Slot, CycleRing::kCycles> slots_{};
};

}  // namespace spica::base
