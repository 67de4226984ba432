// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace spica::simt_core::fast {

/// Whose turn it is in a core of the fast mode: in a round each warp has one turn, a slice of its instructions. A round
/// can be stopped anywhere, also within a slice, and continues there later.
class Round {
 public:
  explicit Round(unsigned warps) {
    for (unsigned w = 0; w < warps; ++w) order_.push_back(static_cast<std::uint8_t>(w));
  }
  void reset() {
    next_ = 0;
    begun_ = cut_ = false;
  }
  /// The order of the turns from the next round on; ascending without it.
  void set_order(const std::vector<std::uint8_t>& warps) { order_ = warps; }

  /// True: a new round begins; false: the one that was stopped continues.
  bool begin() {
    if (begun_) return false;
    progress_ = false;
    next_ = 0;
    return begun_ = true;
  }
  bool over() const { return next_ == order_.size(); }
  unsigned warp() const { return order_[next_]; }
  void next() {
    cut_ = false;
    ++next_;
  }
  void end() { begun_ = false; }

  /// The slice of the warp whose turn it is: `quantum` instructions, or the rest of it.
  void begin_slice(std::int64_t quantum) {
    if (!cut_) left_ = quantum;
  }
  /// Instructions left of the slice; not positive: it ends at the next jump.
  std::int64_t left() const { return left_; }
  void use(std::int64_t instructions) { left_ -= instructions; }
  /// `cut`: the slice was stopped; else it did something, or has polled for something that is not there.
  void end_slice(bool cut, bool polled) {
    cut_ = cut;
    if (!cut) progress_ |= !polled;
  }
  bool cut() const { return cut_; }
  /// Some slice of the last round ended for another reason than polling.
  bool made_progress() const { return progress_; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(order_, next_, begun_, cut_, left_, progress_);
  }

 private:
  std::vector<std::uint8_t> order_;  // warps
  unsigned next_ = 0;  // its place in the order
  bool begun_ = false;
  bool cut_ = false;
  std::int64_t left_ = 0;
  bool progress_ = false;
};

}  // namespace spica::simt_core::fast
