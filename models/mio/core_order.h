// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace spica::mio {

/// The unanswered accesses of a core to shared memory, by load/store unit. Keeps their order if two units serve the
/// core: during a store or an atomic, no access of the core uses another unit.
class CoreOrder {
 public:
  /// True if an access may use `unit` now.
  bool allows(unsigned unit, bool is_store) const {
    const Open& other = open_[1 - unit];
    return other.stores == 0 && (!is_store || other.loads == 0);
  }
  void begin(unsigned unit, bool is_store) { ++(is_store ? open_[unit].stores : open_[unit].loads); }
  void end(unsigned unit, bool is_store) { --(is_store ? open_[unit].stores : open_[unit].loads); }
  void reset() { open_ = {}; }

  template <class Archive>
  void serialize(Archive& archive) {
    for (Open& open : open_) archive(open.loads, open.stores);
  }

 private:
  struct Open {
    std::uint32_t loads = 0, stores = 0;
  };
  std::array<Open, 2> open_{};
};

}  // namespace spica::mio
