// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/base/port_set.h"

namespace spica::base {

/// Rotating-priority arbiter over up to 64 requesters, given as a bit mask, or over a set of ports.
class RoundRobin {
 public:
  explicit RoundRobin(unsigned count) : count_(count) {}

  /// Index of the winner: the first set bit starting after the last winner.
  /// `requests` must not be 0.
  unsigned pick(std::uint64_t requests) {
    const unsigned winner = first(requests);
    pass(winner);
    return winner;
  }
  unsigned pick(const PortSet& requests) {
    const unsigned words = requests.words(), first = next_ / 64;
    std::uint64_t word = requests.word(first) & ~std::uint64_t{0} << next_ % 64;
    unsigned at = first;
    while (word == 0) {  // wraps around; the rest of the first word comes last
      at = at + 1 == words ? 0 : at + 1;
      word = requests.word(at);
    }
    const unsigned winner = 64 * at + static_cast<unsigned>(__builtin_ctzll(word));
    pass(winner);
    return winner;
  }
  /// What pick() would return; moves nothing.
  unsigned first(std::uint64_t requests) const {
    const std::uint64_t ahead = requests & (~std::uint64_t{0} << next_);
    return static_cast<unsigned>(__builtin_ctzll(ahead != 0 ? ahead : requests));
  }
  /// Moves on as if pick() had returned `winner`.
  void pass(unsigned winner) { next_ = winner + 1 == count_ ? 0 : winner + 1; }
  /// Moves on by one requester, or by this number of them.
  void rotate() { pass(next_); }
  void rotate(std::uint64_t requesters) { next_ = static_cast<unsigned>((next_ + requesters) % count_); }
  void reset() { next_ = 0; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(next_);  // Not saved: count_
  }

 private:
  unsigned count_;
  unsigned next_ = 0;
};

}  // namespace spica::base
