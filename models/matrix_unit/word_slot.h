// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/base/types.h"

namespace spica::matrix_unit {

/// Arbitration of the words for one unit in a cycle (virgo tile/AccNode.scala): one slot.
class WordSlot {
 public:
  enum class Offer : std::uint8_t {
    kFree,             // no other write in this cycle
    /// lost: an instruction with several active lanes writes several times at once, and only the first write is taken
    kSameInstruction,
    kOtherCore,  // another core came first
  };

  /// Core `core` offers a word in cycle `now`. It gets the slot if that was free.
  Offer offer(unsigned core, base::Cycle now) {
    if (cycle_ == now) return core_ == core ? Offer::kSameInstruction : Offer::kOtherCore;
    take(core, now);
    return Offer::kFree;
  }
  /// Gives the slot to `core`.
  void take(unsigned core, base::Cycle now) {
    cycle_ = now;
    core_ = core;
  }
  /// The core that has the slot.
  unsigned core() const { return core_; }
  void reset() { cycle_ = base::kNever; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(cycle_, core_);
  }

 private:
  base::Cycle cycle_ = base::kNever;
  unsigned core_ = 0;
};

}  // namespace spica::matrix_unit
