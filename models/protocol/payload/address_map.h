// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace spica::protocol {

/// The kind of socket through which a core sends an access.
enum class Route : std::uint8_t {
  kGlobal,      // to coalescer, caches and DRAM
  kShared,      // to the shared memory of the cluster
  kPeripheral,  // to print buffer and matrix-unit registers: uncached, one lane at a time
  kUnmapped,
};

struct Region {
  std::string name;
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  Route route = Route::kUnmapped;
  unsigned target = 0;  // peripherals: number of the socket of the peripheral bus
  static constexpr unsigned kNoUnit = ~0u;
  unsigned unit = kNoUnit;  // the unit whose command registers these are: its number in the cluster

  bool contains(std::uint64_t address) const { return address - base < size; }
};

/// The address map as a list of regions; the first that contains an address counts, so a window may
/// shadow the memory below it (virgo tile/RadianceCluster.scala: shared memory shadows the top of
/// DRAM).
class AddressMap {
 public:
  void add(Region region) { regions_.push_back(std::move(region)); }

  const Region* find(std::uint64_t address) const {
    for (const Region& region : regions_)
      if (region.contains(address)) return &region;
    return nullptr;
  }
  /// A range around an address that lies wholly in one region.
  struct Range {
    const Region* region = nullptr;
    std::uint64_t begin = 0, size = 0;
    bool contains(std::uint64_t address) const { return address - begin < size; }
  };
  Range range(std::uint64_t address) const {
    const Region* region = find(address);
    if (region == nullptr) return {};
    std::uint64_t begin = region->base, last = region->base + (region->size - 1);
    for (const Region& window : regions_) {
      if (&window == region) break;  // earlier regions shadow it
      if (window.size == 0) continue;
      const std::uint64_t window_last = window.base + (window.size - 1);
      if (window_last < address) begin = std::max(begin, window_last + 1);
      else last = std::min(last, window.base - 1);
    }
    return {region, begin, last - begin + 1};
  }
  Route route(std::uint64_t address) const {
    const Region* region = find(address);
    return region != nullptr ? region->route : Route::kUnmapped;
  }
  const std::vector<Region>& regions() const { return regions_; }

 private:
  std::vector<Region> regions_;
};

}  // namespace spica::protocol
