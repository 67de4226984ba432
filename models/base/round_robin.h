// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace spica::base {

/// Rotating-priority arbiter over up to 64 requesters, given as a bit mask.
class RoundRobin {
 public:
  explicit RoundRobin(unsigned count) : count_(count) {}

  /// Index of the winner: the first set bit starting after the last winner.
  /// `requests` must not be 0.
  unsigned pick(std::uint64_t requests) {
    const std::uint64_t ahead = requests & (~std::uint64_t{0} << next_);
    const unsigned winner = static_cast<unsigned>(__builtin_ctzll(ahead != 0 ? ahead : requests));
    next_ = winner + 1 == count_ ? 0 : winner + 1;
    return winner;
  }
  /// As if it had picked this one.
  void pass(unsigned winner) { next_ = winner + 1 == count_ ? 0 : winner + 1; }
  void reset() { next_ = 0; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(next_);
  }

 private:
  unsigned count_;
  unsigned next_ = 0;
};

}  // namespace spica::base
