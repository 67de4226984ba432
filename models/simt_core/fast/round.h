// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace spica::simt_core::fast {

/// The turns of the warps of a fast-mode core: in a round each warp has one slice of instructions. A round can be
/// stopped anywhere, also within a slice, and continues there later.
class Round {
 public:
  explicit Round(unsigned warps) {
    for (unsigned w = 0; w < warps; ++w) order_.push_back(static_cast<std::uint8_t>(w));
  }
  void reset() {
    next_ = 0;
    begun_ = cut_ = false;
  }
  /// The order of turns from the next round on; ascending by default.
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

  /// Starts the slice of the current warp: `quantum` instructions, or the rest of a stopped slice.
  void begin_slice(std::int64_t quantum) {
    if (!cut_) left_ = quantum;
  }
  /// Instructions left in the slice; not positive: it ends at the next jump.
  std::int64_t left() const { return left_; }
  void use(std::int64_t instructions) { left_ -= instructions; }
  /// `cut`: the slice was stopped. `polled`: it ended by polling a value that is not ready.
  void end_slice(bool cut, bool polled) {
    cut_ = cut;
    if (!cut) progress_ |= !polled;
  }
  bool cut() const { return cut_; }
  /// True if some slice of the last round ended for a reason other than polling.
  bool made_progress() const { return progress_; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(order_, next_, begun_, cut_, left_, progress_);
  }

 private:
  std::vector<std::uint8_t> order_;  // warps
  unsigned next_ = 0;  // position in the order
  bool begun_ = false;
  bool cut_ = false;
  std::int64_t left_ = 0;
  bool progress_ = false;
};

}  // namespace spica::simt_core::fast
