// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace spica::multicast {

/// The properties that loads of different warps must share to be served by one read.
struct LoadKey {
  std::uint32_t address = 0;  // of lane 0
  std::uint8_t source = 0, destination = 0;  // register numbers
  bool operator==(const LoadKey& other) const {
    return address == other.address && source == other.source && destination == other.destination;
  }
};

/// Loads that wait for a load of another warp with the same key.
///
/// Source   lee sections 3.1 to 3.3, figure 8
class LoadRequestTable {
 public:
  struct Entry {
    LoadKey key;
    std::uint16_t core = 0, warp = 0;
    std::uint32_t load = 0;  // number chosen by the owner
  };
  explicit LoadRequestTable(std::size_t entries) : places_(entries) {}

  /// Removes and returns the oldest entry with this key, of another warp, for which `fits(entry)`; nullptr: none.
  template <class Fits>
  bool take(const Entry& request, Fits&& fits, Entry& partner) {
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
      const bool same_warp = entry.core == request.core && entry.warp == request.warp;
      return entry.key == request.key && !same_warp && fits(entry);
    });
    if (found == entries_.end()) return false;
    partner = *found;
    entries_.erase(found);
    return true;
  }
  /// False: no room.
  bool insert(const Entry& request) {
    if (entries_.size() == places_) return false;
    entries_.push_back(request);
    return true;
  }
  /// Removes the entry of this load.
  void remove(std::uint32_t load) {
    entries_.erase(std::remove_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.load == load; }),
                   entries_.end());
  }
  std::size_t size() const { return entries_.size(); }
  void clear() { entries_.clear(); }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(entries_);  // Not saved: places_
  }

 private:
  const std::size_t places_;
  std::vector<Entry> entries_;  // in order of arrival
};

}  // namespace spica::multicast
