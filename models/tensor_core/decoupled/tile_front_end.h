// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/base/round_robin.h"
#include "models/protocol/ports/decoupled_tensor_if.h"
#include "models/tensor_core/tensor_core_params.h"
#include "models/tensor_core/tile_layout.h"

namespace spica::tensor_core {

/// The waiting instructions of a decoupled tensor core, and the one whose operands are being requested:
///
///   dispatch buffers (per warp) -> instruction queue -> front end
class TileFrontEnd {
 public:
  enum Side : unsigned { kA, kB };
  static constexpr unsigned kNone = ~0u;

  explicit TileFrontEnd(const TensorCoreParams& params)
      : turn_(static_cast<unsigned>(params.warps)),
        queue_(params.decoupled.instruction_queue),
        turnaround_(params.decoupled.front_end_turnaround) {
    for (std::uint64_t warp = 0; warp < params.warps; ++warp) dispatch_.emplace_back(params.dispatch_depth);
  }

  bool room(unsigned warp) const { return !dispatch_[warp].full(); }
  void push(const protocol::TileProduct& product) { dispatch_[product.origin.warp].push(product); }
  std::size_t dispatched(unsigned warp) const { return dispatch_[warp].size(); }
  unsigned warps() const { return static_cast<unsigned>(dispatch_.size()); }

  /// Moves an instruction that has left the operand stage to the queue, warps in turn. Returns the warp whose full
  /// buffer has room again, or kNone.
  unsigned fill_queue(base::Cycle now) {
    if (queue_.full()) return kNone;
    std::uint32_t ready = 0;
    for (unsigned warp = 0; warp < dispatch_.size(); ++warp)
      if (!dispatch_[warp].empty() && dispatch_[warp].front().ready <= now) ready |= 1u << warp;
    if (ready == 0) return kNone;
    const unsigned warp = turn_.pick(ready);
    const bool had_room = room(warp);
    queue_.push(dispatch_[warp].pop());
    return had_room ? kNone : warp;
  }
  /// Takes the next instruction of the queue, `front_end_turnaround` cycles after the last request of the previous one.
  bool start_next(base::Cycle now) {
    if (asking() || now < free_ || queue_.empty()) return false;
    current_ = queue_.pop();
    sent_[kA] = sent_[kB] = 0;
    return true;
  }
  const protocol::TileProduct& current() const { return current_; }

  /// True if blocks of an operand of the current instruction are still to be requested.
  bool wants(Side side) const { return sent_[side] != tile::kBlocks; }
  bool asking() const { return wants(kA) || wants(kB); }
  /// Byte offset of the next block in shared memory.
  std::uint32_t address(Side side) const {
    const unsigned sent = sent_[side];
    return (side == kA ? current_.a : current_.b) +
           tile::block_offset(sent / tile::kSetBlocks, sent % tile::kSetBlocks);
  }
  /// The block has been requested.
  void sent(Side side, base::Cycle now) {
    ++sent_[side];
    if (!asking()) free_ = now + turnaround_;
  }
  unsigned sent(Side side) const { return sent_[side]; }

  void reset() {
    for (auto& buffer : dispatch_) buffer.clear();
    turn_.reset();
    queue_.clear();
    sent_[kA] = sent_[kB] = tile::kBlocks;
    free_ = 0;
  }

  template <class Archive>
  void serialize(Archive& archive) {
    for (auto& buffer : dispatch_) archive(buffer);
    archive(turn_, queue_, current_, sent_, free_);
  }

 private:
  std::vector<base::BoundedQueue<protocol::TileProduct>> dispatch_;  // by warp
  base::RoundRobin turn_;
  base::BoundedQueue<protocol::TileProduct> queue_;
  const base::Cycle turnaround_;
  protocol::TileProduct current_;
  unsigned sent_[2] = {tile::kBlocks, tile::kBlocks};  // blocks requested, by operand
  base::Cycle free_ = 0;
};

}  // namespace spica::tensor_core
