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
      : dispatch_depth_(dispatch_depth), metadata_depth_(metadata_depth), warps_(warps) {
    while (mask_ + 1 < dispatch_depth + metadata_depth) mask_ = 2 * mask_ + 1;
    slots_.resize(std::size_t{warps} * (mask_ + 1));
    for (unsigned warp = 0; warp < warps; ++warp)
      warps_[warp].slots = &slots_[std::size_t{warp} * (mask_ + 1)];
  }

  MicroOpRings(const MicroOpRings&) = delete;
  MicroOpRings& operator=(const MicroOpRings&) = delete;

  bool room(unsigned warp) const { return warps_[warp].dispatched < dispatch_depth_; }
  void push(unsigned warp, const protocol::TensorMicroOp& micro_op) {
    Ring& ring = warps_[warp];
    ring.slots[ring.push_at] = {micro_op.ready, micro_op};
    if (ring.dispatched++ == 0) ring.next_ready = micro_op.ready;
    step(ring.push_at);
    dispatched_ |= 1u << warp;
  }

  /// Warps with a micro-op that is not yet accepted.
  std::uint32_t dispatched() const { return dispatched_; }
  /// Of the warps in `allowed` whose next micro-op is ready at `now`: the first one at or after warp
  /// `first`, in a circle. kNone when there is none.
  static constexpr unsigned kNone = ~0u;
  unsigned next_ready(base::Cycle now, std::uint32_t allowed, unsigned first) {
    for (std::uint32_t rest = dispatched_ & ~ready_; rest != 0; rest &= rest - 1) {
      const auto warp = static_cast<unsigned>(__builtin_ctz(rest));
      if (warps_[warp].next_ready <= now) ready_ |= 1u << warp;
    }
    const std::uint32_t candidates = ready_ & allowed;
    if (candidates == 0) return kNone;
    const std::uint32_t ahead = candidates >> first << first;
    return static_cast<unsigned>(__builtin_ctz(ahead != 0 ? ahead : candidates));
  }
  /// Accepts the next micro-op of `warp`. True: it completes a step pair.
  bool accept(unsigned warp) {
    Ring& ring = warps_[warp];
    const std::uint32_t bit = 1u << warp;
    ready_ &= ~bit;  // the next one is looked at in the next cycle
    step(ring.accept_at);
    if (--ring.dispatched == 0) dispatched_ &= ~bit;
    else ring.next_ready = ring.slots[ring.accept_at].ready;
    if (++ring.accepted == metadata_depth_) full_ |= bit;
    halves_ ^= bit;
    return (halves_ & bit) == 0;
  }
  /// Warps whose assembly register holds the first half of a pair.
  std::uint32_t halves() const { return halves_; }
  /// Warps whose metadata queue is full.
  std::uint32_t metadata_full() const { return full_; }

  /// The oldest micro-op of `warp`.
  const protocol::TensorResult& oldest(unsigned warp) const {
    const Ring& ring = warps_[warp];
    return ring.slots[ring.oldest_at].row;
  }
  void remove_oldest(unsigned warp) {
    Ring& ring = warps_[warp];
    step(ring.oldest_at);
    --ring.accepted;
    full_ &= ~(1u << warp);
  }

  unsigned waiting(unsigned warp) const { return warps_[warp].dispatched; }
  unsigned accepted(unsigned warp) const { return warps_[warp].accepted; }
  unsigned warps() const { return static_cast<unsigned>(warps_.size()); }
  void clear() {
    for (Ring& ring : warps_) ring = Ring{ring.slots};
    dispatched_ = ready_ = full_ = halves_ = 0;
  }

 private:
  struct Slot {
    base::Cycle ready;
    protocol::TensorResult row;
  };
  struct Ring {
    Slot* slots = nullptr;
    base::Cycle next_ready = 0;                              // of the first dispatched one
    std::uint8_t push_at = 0, accept_at = 0, oldest_at = 0;  // slots
    std::uint8_t dispatched = 0, accepted = 0;               // micro-ops
  };
  void step(std::uint8_t& position) const { position = static_cast<std::uint8_t>((position + 1u) & mask_); }

  std::uint32_t dispatched_ = 0, full_ = 0, halves_ = 0;
  std::uint32_t ready_ = 0;  // whose first dispatched micro-op is known to be ready
  unsigned dispatch_depth_, metadata_depth_;
  unsigned mask_ = 0;  // slots of a warp, a power of two, - 1
  std::vector<Ring> warps_;
  std::vector<Slot> slots_;
};

}  // namespace spica::tensor_core
