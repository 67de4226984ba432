// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/base/types.h"

namespace spica::matrix_unit {

/// Where the words for one unit meet in a cycle (virgo tile/AccNode.scala): there is place for one.
class WordSlot {
 public:
  enum class Offer : std::uint8_t {
    kFree,             // no other write in this cycle
    kSameInstruction,  // lost: an instruction with many active lanes writes several times at once, and the first counts
    kOtherCore,  // another core was there before
  };

  /// Core `core` has a word in cycle `now`. The place is its own if it was free.
  Offer offer(unsigned core, base::Cycle now) {
    if (cycle_ == now) return core_ == core ? Offer::kSameInstruction : Offer::kOtherCore;
    take(core, now);
    return Offer::kFree;
  }
  /// Gives the place to `core`.
  void take(unsigned core, base::Cycle now) {
    cycle_ = now;
    core_ = core;
  }
  /// The core that has it.
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
