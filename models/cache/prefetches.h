// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/cache/mshr_file.h"

namespace spica::cache {

/// The prefetches of one bank: lines to look up when the bank is otherwise idle, and fetched lines that no request has
/// used yet.
class Prefetches {
 public:
  /// `queue`: lines that can wait; `slots`: lines of the bank.
  Prefetches(std::uint64_t queue, std::uint64_t slots) : wishes_(queue), unused_(slots, false) {}

  /// What became of the line that was looked for.
  enum Found : std::uint8_t { kNothing, kPresent, kDropped, kFetched };

  bool empty() const { return wishes_.empty(); }
  /// False: there is no place for it.
  bool want(const Cause& wish) {
    if (wishes_.full()) return false;
    wishes_.push(wish);
    return true;
  }
  Cause take() { return wishes_.pop(); }
  /// A line is put into the slot; `prefetched`: no request has asked for it.
  void fill(unsigned slot, bool prefetched) { unused_[slot] = prefetched; }
  /// A request finds its line in the slot.
  void use(unsigned slot) {
    first_use_ = unused_[slot];
    unused_[slot] = false;
  }
  /// A request joins the fetch of a line; `prefetched`: it is the first request of it.
  void join(bool prefetched) { first_use_ = prefetched; }
  /// A line has been looked for.
  void found(Found found) { found_ = found; }
  /// A cycle begins.
  void begin() {
    first_use_ = false;
    found_ = kNothing;
  }
  /// Of this cycle.
  Found found() const { return found_; }
  /// The request that was served is the first one of a prefetched line.
  bool first_use() const { return first_use_; }
  void clear() {
    wishes_.clear();
    unused_.assign(unused_.size(), false);
    begin();
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(wishes_, unused_, first_use_, found_);
  }

 private:
  base::BoundedQueue<Cause> wishes_;
  std::vector<bool> unused_;  // by slot
  bool first_use_ = false;
  Found found_ = kNothing;
};

}  // namespace spica::cache
