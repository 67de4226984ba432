// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/base/types.h"
#include "models/shared_memory/bank_map.h"

namespace spica::shared_memory {

/// A set of ports: wide ports in the low bits, cores above them.
using Sources = std::uint64_t;

/// The set of one port.
inline Sources bit(unsigned source) { return Sources{1} << source; }
/// Removes the lowest set bit of `bits` and returns its number.
inline unsigned pop_lowest(std::uint64_t& bits) {
  const auto lowest = static_cast<unsigned>(__builtin_ctzll(bits));
  bits &= bits - 1;
  return lowest;
}

/// Uncontended bursts, one beat of each per cycle: no other request waits for their banks, and they use different
/// banks. They need no attention before the last beat of one of them, which is served like any request; until then
/// catch_up() suffices.
template <class WordBanks>
class BasicBurstStreams {
 public:
  bool any() const { return sources_ != 0; }
  Sources sources() const { return sources_; }
  /// The banks in use, as whole banks.
  WordBanks reach() const { return reach_; }
  /// The cycle of the earliest last beat.
  base::Cycle end() const { return end_; }

  /// Starts streaming of `sources` in the cycle after `now`; requires that none streams.
  void start(Sources sources, WordBanks reach, base::Cycle end, base::Cycle now) {
    sources_ = sources;
    reach_ = reach;
    end_ = end;
    served_ = now;
  }
  /// Adds one source; the others must be caught up.
  void join(Sources source, WordBanks reach, base::Cycle end, base::Cycle now) {
    if (any()) start(sources_ | source, reach_ | reach, std::min(end_, end), now);
    else start(source, reach, end, now);
  }
  /// Number of beats per source due up to `through` and not served; they count as served afterwards.
  std::uint32_t catch_up(base::Cycle through) {
    if (!any() || through <= served_) return 0;
    const auto beats = static_cast<std::uint32_t>(through - served_);
    served_ = through;
    return beats;
  }
  void stop() { sources_ = 0; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(sources_, served_, end_, reach_);
  }

 private:
  Sources sources_ = 0;
  base::Cycle served_ = 0;  // beats are served up to this cycle
  base::Cycle end_ = 0;
  WordBanks reach_ = 0;
};
using BurstStreams = BasicBurstStreams<WordBanks>;

}  // namespace spica::shared_memory
