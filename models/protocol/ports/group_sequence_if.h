// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace spica::protocol {

/// Chooses which work groups of a grid are dispatched, and in which order; without it all are, in ascending order.
class GroupSequenceIf {
 public:
  virtual ~GroupSequenceIf() = default;
  /// True while a work group is left.
  virtual bool any() const = 0;
  /// The number of the next work group in its grid. Called in the cycle of its dispatch; any() must be true.
  virtual std::uint64_t take() = 0;
};

/// Implemented by dispatchers of work groups.
class GroupSequenced {
 public:
  virtual ~GroupSequenced() = default;
  /// The next grid, which must be the only one, follows `sequence`, which must outlive it.
  virtual void follow(GroupSequenceIf& sequence) = 0;
};

}  // namespace spica::protocol
