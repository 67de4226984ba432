// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/protocol/tensor_if.h"

namespace spica::tensor_core {

/// The micro-ops inside a tensor core, per warp and in order, from the core's push to their write-back.
/// Everything is in order per warp, so that a micro-op stays where it is and its stages are positions in
/// its warp's ring:
///
///   oldest: accepted, i.e. assembled, computed or waiting for write-back | dispatched | room
///
/// The operand FIFO, the dot-product pipeline and the result FIFO then need to hold warp numbers only.
class MicroOpRings {
 public:
  /// `dispatch_depth`: not yet accepted micro-ops per warp; `metadata_depth`: accepted ones.
  MicroOpRings(unsigned warps, unsigned dispatch_depth, unsigned metadata_depth)
      : dispatch_depth_(dispatch_depth),
        metadata_depth_(metadata_depth),
        size_(dispatch_depth + metadata_depth),
        warps_(warps),
        slots_(warps * size_),
        ready_(warps * size_) {}

  bool room(unsigned warp) const { return warps_[warp].dispatched < dispatch_depth_; }
  void push(unsigned warp, const protocol::TensorMicroOp& micro_op) {
    Ring& ring = warps_[warp];
    slots_[warp * size_ + ring.push_at] = micro_op;
    ready_[warp * size_ + ring.push_at] = micro_op.ready;
    step(ring.push_at);
    ++ring.dispatched;
    dispatched_ |= 1u << warp;
  }

  /// Warps with a micro-op that is not yet accepted.
  std::uint32_t dispatched() const { return dispatched_; }
  /// Of the warps in `allowed` whose next micro-op is ready at `now`: the first one at or after warp
  /// `first`, in a circle. kNone when there is none.
  static constexpr unsigned kNone = ~0u;
  unsigned next_ready(base::Cycle now, std::uint32_t allowed, unsigned first) const {
    const std::uint32_t candidates = dispatched_ & allowed;
    const std::uint32_t ahead = candidates >> first << first;
    for (const std::uint32_t part : {ahead, candidates ^ ahead})
      for (std::uint32_t rest = part; rest != 0; rest &= rest - 1) {
        const auto warp = static_cast<unsigned>(__builtin_ctz(rest));
        if (ready_[warp * size_ + warps_[warp].accept_at] <= now) return warp;
      }
    return kNone;
  }
  /// Accepts the next micro-op of `warp`. True: it completes a step pair.
  bool accept(unsigned warp) {
    Ring& ring = warps_[warp];
    step(ring.accept_at);
    if (--ring.dispatched == 0) dispatched_ &= ~(1u << warp);
    if (++ring.accepted == metadata_depth_) full_ |= 1u << warp;
    halves_ ^= 1u << warp;
    return (halves_ >> warp & 1) == 0;
  }
  /// Warps whose assembly register holds the first half of a pair.
  std::uint32_t halves() const { return halves_; }
  /// Warps whose metadata queue is full.
  std::uint32_t metadata_full() const { return full_; }

  /// The two halves of the oldest pair of `warp` that is not computed yet.
  struct Pair {
    protocol::TensorMicroOp& first;
    protocol::TensorMicroOp& second;
  };
  Pair next_to_compute(unsigned warp) {
    Ring& ring = warps_[warp];
    protocol::TensorMicroOp& first = slots_[warp * size_ + ring.compute_at];
    step(ring.compute_at);
    protocol::TensorMicroOp& second = slots_[warp * size_ + ring.compute_at];
    step(ring.compute_at);
    return {first, second};
  }

  /// The oldest micro-op of `warp`.
  const protocol::TensorMicroOp& oldest(unsigned warp) const {
    return slots_[warp * size_ + warps_[warp].oldest_at];
  }
  void remove_oldest(unsigned warp) {
    step(warps_[warp].oldest_at);
    --warps_[warp].accepted;
    full_ &= ~(1u << warp);
  }

  unsigned waiting(unsigned warp) const { return warps_[warp].dispatched; }
  unsigned accepted(unsigned warp) const { return warps_[warp].accepted; }
  unsigned warps() const { return static_cast<unsigned>(warps_.size()); }
  void clear() {
    for (Ring& ring : warps_) ring = {};
    dispatched_ = full_ = halves_ = 0;
  }

 private:
  struct Ring {
    unsigned push_at = 0, accept_at = 0, compute_at = 0, oldest_at = 0;  // slots
    unsigned dispatched = 0, accepted = 0;                              // micro-ops
  };
  void step(unsigned& position) const { position = position + 1 == size_ ? 0 : position + 1; }

  unsigned dispatch_depth_, metadata_depth_, size_;  // size_: slots per warp
  std::vector<Ring> warps_;
  std::vector<protocol::TensorMicroOp> slots_;
  std::vector<base::Cycle> ready_;  // by slot; apart, so that looking for work touches little memory
  std::uint32_t dispatched_ = 0, full_ = 0, halves_ = 0;
};

}  // namespace spica::tensor_core
