// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/protocol/payload/payload_pool.h"

namespace spica::simt_core {

/// Asynchronous copies of a load/store unit from global to shared memory, and the groups of each warp.
///
/// Parts    a copy of 4, 8 or 16 bytes per lane is 1, 2 or 4 requests with one word per lane of the warp; the words of
///          a lane are consecutive. Each request becomes a store to shared memory when answered
/// Order    parts land in any order. A warp that waits for all but its last n groups continues when all earlier groups
///          have landed
/// Source   ptx section 9.7.9.25
class AsyncCopies {
 public:
  AsyncCopies(unsigned slots, unsigned lanes) : lanes_(lanes), copies_(slots) {}

  // -- issue
  /// The instruction in `slot` copies `bytes` bytes of each lane to the addresses in `to`.
  void begin(unsigned slot, unsigned warp, const std::uint32_t* to, unsigned bytes) {
    Copy& copy = copies_[slot];
    Warp& w = warps_[warp];
    copy.warp = warp;
    copy.group = w.first + static_cast<unsigned>(w.groups.size());
    copy.words = bytes / 4;
    copy.count = 0;
    for (unsigned lane = 0; lane < lanes_; ++lane) copy.to[lane] = to[lane];
    ++w.open;
  }
  /// Fills in the addresses in global memory of part `part`, which begins with word `part * lanes`. False: it contains
  /// no data of active lanes.
  bool fill(unsigned slot, unsigned part, const std::uint32_t* from, std::uint32_t active,
            protocol::WarpAccess& access) const {
    access.mask = 0;
    for (unsigned i = 0; i < lanes_; ++i) {
      const unsigned lane = lane_of(slot, part, i);
      if ((active >> lane & 1) == 0) continue;
      access.mask |= 1u << i;
      access.address[i] = from[lane] + word_of(slot, part, i);
    }
    return access.mask != 0;
  }
  /// Makes that part the slot's next request.
  void add(unsigned slot, unsigned part) {
    copies_[slot].parts[copies_[slot].count++] = static_cast<std::uint8_t>(part);
  }
  /// Makes the warp's copies since the last call a group.
  void commit_group(unsigned warp) {
    Warp& w = warps_[warp];
    w.groups.push_back(w.open);
    w.open = 0;
    forget_landed(w);
  }
  /// True if more than `most` groups of the warp are in flight; landed() then reports when they are not.
  bool waits(unsigned warp, unsigned most) {
    Warp& w = warps_[warp];
    if (w.groups.size() <= most) return false;
    w.waits = true;
    w.most = most;
    return true;
  }

  // -- execution
  /// Request number `request` of the slot has been answered: turns it into the store.
  void turn(unsigned slot, unsigned request, protocol::WarpPayload& payload) {
    const unsigned part = copies_[slot].parts[request];
    for (std::uint32_t rest = payload.access.mask; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<unsigned>(__builtin_ctz(rest));
      payload.access.address[i] = copies_[slot].to[lane_of(slot, part, i)] + word_of(slot, part, i);
    }
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(payload.access.address[static_cast<unsigned>(__builtin_ctz(payload.access.mask))]);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    stores_.push_back(&payload);
  }
  bool has_stores() const { return !stores_.empty(); }
  protocol::WarpPayload& next_store() {
    protocol::WarpPayload& store = *stores_.front();
    stores_.pop_front();
    return store;
  }
  /// The copy in `slot` has landed completely. True: its warp was waiting and can continue.
  bool landed(unsigned slot) {
    Warp& w = warps_[copies_[slot].warp];
    const unsigned group = copies_[slot].group - w.first;
    --(group == w.groups.size() ? w.open : w.groups[group]);
    forget_landed(w);
    if (!w.waits || w.groups.size() > w.most) return false;
    w.waits = false;
    return true;
  }

  void reset() {
    warps_.fill({});
    stores_.clear();
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(copies_, warps_, stores_);
  }

 private:
  struct Copy {
    unsigned warp = 0, group = 0, words = 1, count = 0;
    std::array<std::uint8_t, 4> parts{};  // by request
    std::array<std::uint32_t, protocol::kMaxLanes> to{};  // by lane
  };
  struct Warp {
    std::vector<unsigned> groups;  // copies in flight of committed groups, oldest first
    unsigned first = 0;  // number of the oldest
    unsigned open = 0;  // copies in flight without a group
    bool waits = false;
    unsigned most = 0;  // number of groups for which it does not wait
  };
  unsigned lane_of(unsigned slot, unsigned part, unsigned i) const {
    return (part * lanes_ + i) / copies_[slot].words;
  }
  std::uint32_t word_of(unsigned slot, unsigned part, unsigned i) const {
    return (part * lanes_ + i) % copies_[slot].words * 4;
  }
  static void forget_landed(Warp& w) {
    auto oldest = w.groups.begin();
    while (oldest != w.groups.end() && *oldest == 0) ++oldest;
    w.first += static_cast<unsigned>(oldest - w.groups.begin());
    w.groups.erase(w.groups.begin(), oldest);
  }

  const unsigned lanes_;
  std::vector<Copy> copies_;  // by slot
  std::array<Warp, 32> warps_{};
  std::deque<protocol::WarpPayload*> stores_;  // to be sent
};

}  // namespace spica::simt_core
