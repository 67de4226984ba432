// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/protocol/payload/payload_pool.h"
#include "models/shared_memory/bank_map.h"
#include "models/shared_memory/cells.h"
#include "models/shared_memory/request.h"
#include "models/shared_memory/shared_memory_stats.h"

namespace spica::shared_memory {

/// The word banks: their contents, and the accesses served in a cycle.
///
/// A word bank serves one word per cycle and direction; an atomic uses both ports of its bank. The first request wins.
/// With `broadcast`, lanes of one access on the same word share it. Served data moves immediately and is counted where
/// energy is spent: once per word bank and service.
template <class WordBanks>
class BasicBanks {
  using BankMap = BasicBankMap<WordBanks>;
  using Request = BasicRequest<WordBanks>;

 public:
  BasicBanks(const SharedMemoryParams& params, SharedMemoryStats& stats)
      : map_(params),
        base_(static_cast<std::uint32_t>(params.base)),
        lanes_(static_cast<unsigned>(params.lanes)),
        broadcast_(params.broadcast),
        together_(params.broadcast && params.banks == 1),
        cells_(params.size),
        stats_(stats) {}

  Cells& cells() { return cells_; }
  const Cells& cells() const { return cells_; }

  // -- a cycle
  /// Begins a cycle. Blocked banks serve no load.
  void begin() {
    taken_[kRead] = blocked_;
    taken_[kWrite] = 0;
  }
  /// Blocks banks whose last answers have not been accepted.
  void block(WordBanks banks) { blocked_ = banks; }
  WordBanks taken(Direction direction) const { return taken_[direction]; }
  /// Word banks no longer available to the request.
  WordBanks taken_for(const Request& request) const {
    return request.atomic == protocol::Atomic::kNone ? taken_[request.direction]
                                                     : taken_[kRead] | taken_[kWrite];
  }

  // -- services of a request; its split lists the lanes still to serve
  /// Serves a beat of a wide port, completely or not at all; `words`: the counter to use.
  void serve_wide(Request& request, base::Counter& words);
  /// Serves the aligned lanes of a core whose banks are free and in `within`.
  void serve_aligned(Request& request, WordBanks within);
  /// Serves a contiguous access whose word banks are all free, in one pass.
  void serve_row(Request& request);
  /// Lanes served, and the word banks of the others.
  struct Served {
    std::uint32_t lanes;
    WordBanks left;
  };
  /// Serves those of `lanes` whose word bank is free and in `within`, lowest lane first. The caller updates the split.
  Served serve_lanes(const Request& request, std::uint32_t lanes, WordBanks within);
  /// The same for a single lane (as a bit) of a load or store, ignoring `within`; returns the lane, or 0.
  std::uint32_t serve_lane(const Request& request, std::uint32_t lane) {
    const auto number = static_cast<unsigned>(__builtin_ctz(lane));
    const std::uint32_t offset = request.access->address[number] - base_;
    const WordBanks wanted = WordBanks{1} << map_.index(offset);
    const Direction direction = request.direction;
    if ((taken_[direction] & wanted) != 0) return 0;
    taken_[direction] |= wanted;
    ++*stats_.core.words[direction];
    ++*stats_.bank[map_.bank(offset)].words[direction];
    cells_.move_lane(*request.access, number, direction == kWrite, offset);
    return lane;
  }
  /// Serves those of `lanes` on the unaligned path whose word bank is free, and updates the split.
  std::uint32_t serve_unaligned(Request& request, std::uint32_t lanes) {
    const bool one = (lanes & (lanes - 1)) == 0 && request.atomic == protocol::Atomic::kNone;
    const std::uint32_t served =
        one ? serve_lane(request, lanes) : serve_lanes(request, lanes, ~WordBanks{0}).lanes;
    request.unaligned &= ~served;
    request.served |= served;
    return served;
  }
  /// Word banks that these lanes need.
  WordBanks of(const protocol::WarpAccess& access, std::uint32_t lanes) const {
    WordBanks banks = 0;
    for (; lanes != 0; lanes &= lanes - 1)
      banks |= WordBanks{1} << map_.index(access.address[__builtin_ctz(lanes)] - base_);
    return banks;
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(taken_, blocked_, cells_);
  }

 private:
  void serve_together(Request& request);
  void perform_atomic(const Request& request, unsigned lane, std::uint32_t offset, unsigned bank);
  void take(const Request& request, WordBanks banks) {
    taken_[request.direction] |= banks;
    if (request.atomic != protocol::Atomic::kNone) taken_[kWrite] |= banks;
  }

  WordBanks taken_[2] = {0, 0};  // by direction
  WordBanks blocked_ = 0;
  const BankMap map_;
  const std::uint32_t base_;
  const unsigned lanes_;
  const bool broadcast_, together_;
  Cells cells_;
  SharedMemoryStats& stats_;
};
using Banks = BasicBanks<WordBanks>;

}  // namespace spica::shared_memory
