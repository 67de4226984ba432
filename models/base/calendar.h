// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "models/base/types.h"

namespace spica::base {

/// Events due within the next 63 cycles: 64 slots and a bit mask, which beats a heap at these distances.
/// Longer delays go to an overflow list that is looked at only when it is not empty.
template <class Event>
class Calendar {
 public:
  /// `due` must be later than `now`.
  void schedule(Cycle now, Cycle due, Event event) {
    assert(due > now);
    ++size_;
    if (due - now < 64) {
      slots_[due % 64].push_back(event);
      mask_ |= bit(due);
    } else {
      far_.push_back({due, event});
    }
  }

  /// Calls `take(event)` for each event due in cycle `now`, in the order in which they were scheduled
  /// (far ones first). Every cycle with an event due must be visited.
  template <class Take>
  void take_due(Cycle now, Take&& take) {
    if (!far_.empty()) take_far(now, take);
    if ((mask_ & bit(now)) == 0) return;
    mask_ &= ~bit(now);
    auto& slot = slots_[now % 64];
    size_ -= slot.size();
    for (const Event& event : slot) take(event);
    slot.clear();
  }

  /// The next cycle after `now` with an event, or kNever.
  Cycle next(Cycle now) const {
    Cycle first = kNever;
    if (mask_ != 0) {
      const unsigned shift = static_cast<unsigned>((now + 1) % 64);
      const std::uint64_t ahead = shift == 0 ? mask_ : (mask_ >> shift) | (mask_ << (64 - shift));
      first = now + 1 + static_cast<unsigned>(__builtin_ctzll(ahead));
    }
    for (const Far& entry : far_) first = entry.due < first ? entry.due : first;
    return first;
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  void clear() {
    for (auto& slot : slots_) slot.clear();
    far_.clear();
    mask_ = 0;
    size_ = 0;
  }

 private:
  struct Far {
    Cycle due;
    Event event;
  };
  static std::uint64_t bit(Cycle cycle) { return std::uint64_t{1} << (cycle % 64); }

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

  std::vector<Event> slots_[64];
  std::vector<Far> far_;
  std::uint64_t mask_ = 0;
  std::size_t size_ = 0;
};

}  // namespace spica::base
