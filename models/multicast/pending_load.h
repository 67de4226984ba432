// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "models/base/types.h"
#include "models/multicast/load_request_table.h"
#include "models/protocol/payload/payload_pool.h"

namespace spica::multicast {

inline constexpr std::uint32_t kNone = ~0u;

/// A marked load that has arrived, with its accesses: one for a lane-wide load, several for a fragment. They arrive in
/// order and leave in order.
struct PendingLoad {
  static constexpr unsigned kMostParts = 16;
  enum class State : std::uint8_t {
    kFree,
    kUndecided,
    kWaiting,  // in the table
    kPaired,
    kAlone
  };

  State state = State::kFree;
  bool complete = false;  // all of it has arrived
  std::uint8_t came = 0, left = 0;  // accesses that have arrived, that have left
  std::uint16_t core = 0, warp = 0;
  std::uint32_t partner = kNone;
  LoadKey key;
  base::Cycle since = 0;  // when it became undecided, or was decided
  base::Cycle patience = base::kNever;  // when it is sent without a partner
  bool drained = false;  // a fence or barrier waits for it
  std::array<protocol::WarpPayload*, kMostParts> parts{};

  bool all_left() const { return complete && left == came; }
  LoadRequestTable::Entry entry(std::uint32_t number) const { return {key, core, warp, number}; }
};

/// One access to shared memory, for one load or for two.
struct Read {
  protocol::WarpPayload *first = nullptr, *second = nullptr;
  std::uint8_t first_core = 0, second_core = 0;
  bool last = false;  // last access of its load
  base::Cycle ready = 0;  // first cycle in which it may leave
};

/// True if the lanes access the same addresses.
inline bool same_lanes(const protocol::WarpAccess& a, const protocol::WarpAccess& b) {
  if (a.mask != b.mask || a.bytes != b.bytes || a.sharing.last != b.sharing.last) return false;
  for (std::uint32_t rest = a.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    if (a.address[lane] != b.address[lane]) return false;
  }
  return true;
}

/// True if a lane of one may access a word of the other; the two must then stay in order.
inline bool may_overlap(const protocol::WarpAccess& a, const protocol::WarpAccess& b) {
  const auto ends = [](const protocol::WarpAccess& access) {
    std::uint32_t first = ~0u, last = 0;
    for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
      const std::uint32_t address = access.address[static_cast<unsigned>(__builtin_ctz(rest))];
      first = std::min(first, address);
      last = std::max(last, address + access.bytes - 1);
    }
    return std::pair(first, last);
  };
  const auto [first_a, last_a] = ends(a);
  const auto [first_b, last_b] = ends(b);
  return first_a <= last_b && first_b <= last_a;
}

}  // namespace spica::multicast
