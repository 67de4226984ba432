// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace spica::mio {

/// The accesses of a core to shared memory that are not answered, by load/store unit. Its own order survives where two
/// units serve it: during a store, or an atomic, nothing of the core goes through another unit.
class CoreOrder {
 public:
  /// An access may go through `unit` now.
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
