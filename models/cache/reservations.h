// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/base/types.h"
#include "models/protocol/request_info.h"

namespace spica::cache {

/// The load reservations (LR/SC) of all hardware threads of the machine: at most one 4-byte word
/// each. All caches that move data share one object, so that a store through any of them breaks the
/// reservation of everybody else; see Cache::share_reservations().
class Reservations {
 public:
  /// Hardware thread: core, warp and the one lane of the request.
  static std::uint64_t holder(const protocol::Origin& origin) {
    return std::uint64_t{origin.core} << 40 | std::uint64_t{origin.warp} << 32 | origin.lanes;
  }

  void reserve(std::uint64_t holder, base::Address address) {
    drop(holder);
    entries_.push_back({holder, address & ~base::Address{3}});
  }
  /// Store conditional: true when the reservation still stands. It is gone afterwards either way.
  bool claim(std::uint64_t holder, base::Address address) {
    const bool held = std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
      return entry.holder == holder && entry.word == (address & ~base::Address{3});
    });
    drop(holder);
    return held;
  }
  /// Any store to [address, address + bytes) breaks the reservations there.
  void store(base::Address address, unsigned bytes) {
    if (entries_.empty()) return;
    remove([&](const Entry& entry) {
      return entry.word + 4 > address && entry.word < address + bytes;
    });
  }
  void clear() { entries_.clear(); }
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::uint64_t holder;
    base::Address word;
  };
  void drop(std::uint64_t holder) {
    remove([&](const Entry& entry) { return entry.holder == holder; });
  }
  template <class Test>
  void remove(Test&& test) {
    entries_.erase(std::remove_if(entries_.begin(), entries_.end(), test), entries_.end());
  }

  std::vector<Entry> entries_;
};

}  // namespace spica::cache
