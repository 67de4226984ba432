// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/protocol/ports/tensor_if.h"

namespace spica::tensor_core {

/// The micro-ops of each warp in a tensor core: in dispatch buffers, in order, until they are taken; after pair assembly
/// accepted them, in the warp's metadata queue until their write-back. Sets of warps are masks with one bit per warp.
class MicroOpQueues {
 public:
  /// `dispatch_depth`: maximum of micro-ops per warp that are not yet accepted; `metadata_depth`: of accepted ones.
  MicroOpQueues(unsigned warps, std::size_t dispatch_depth, std::size_t metadata_depth)
      : metadata_depth_(static_cast<unsigned>(metadata_depth)) {
    for (unsigned warp = 0; warp < warps; ++warp) warps_.emplace_back(dispatch_depth);
  }

  bool room(unsigned warp) const { return !warps_[warp].waiting.full(); }
  void push(const protocol::TensorResult& micro_op, base::Cycle ready) {
    Warp& warp = warps_[micro_op.warp];
    warp.waiting.push({ready, micro_op});
    warp.pc = micro_op.pc;
    waiting_ |= 1u << micro_op.warp;
  }

  /// Warps with a micro-op that is not yet taken.
  std::uint32_t waiting() const { return waiting_; }
  /// Those of waiting() whose first micro-op has left the operand stage.
  std::uint32_t ready(base::Cycle now) {
    for (std::uint32_t rest = waiting_ & ~ready_; rest != 0; rest &= rest - 1) {
      const auto warp = static_cast<unsigned>(__builtin_ctz(rest));
      if (warps_[warp].waiting.front().ready <= now) ready_ |= 1u << warp;
    }
    return ready_;
  }
  /// Takes the first micro-op of `warp`, which is ready, from its dispatch buffer. The next one is ready `interval` cycles
  /// later, at the earliest.
  protocol::TensorResult take(unsigned warp, base::Cycle now, base::Cycle interval) {
    Warp& w = warps_[warp];
    const std::uint32_t bit = 1u << warp;
    const protocol::TensorResult row = w.waiting.front().row;
    w.waiting.drop();
    if (w.waiting.empty()) {
      waiting_ &= ~bit;
      ready_ &= ~bit;
      return row;
    }
    base::Cycle& ready = w.waiting.front().ready;
    ready = std::max(ready, now + interval);
    if (ready > now) ready_ &= ~bit;
    return row;
  }
  /// Pair assembly accepts the micro-op of `warp` that was taken.
  void accept(unsigned warp) {
    const std::uint32_t bit = 1u << warp;
    if (++warps_[warp].accepted == metadata_depth_) metadata_full_ |= bit;
    halves_ ^= bit;
  }
  /// Warps whose assembly register holds the first half of a pair.
  std::uint32_t halves() const { return halves_; }
  /// Warps whose metadata queue is full.
  std::uint32_t metadata_full() const { return metadata_full_; }
  /// The oldest accepted micro-op of `warp` is written back.
  void remove_oldest(unsigned warp) {
    --warps_[warp].accepted;
    metadata_full_ &= ~(1u << warp);
  }

  std::size_t waiting(unsigned warp) const { return warps_[warp].waiting.size(); }
  unsigned accepted(unsigned warp) const { return warps_[warp].accepted; }
  /// The pc of the warp's youngest micro-op.
  std::uint32_t pc(unsigned warp) const { return warps_[warp].pc; }
  unsigned warps() const { return static_cast<unsigned>(warps_.size()); }
  void clear() {
    for (Warp& warp : warps_) {
      warp.waiting.clear();
      warp.accepted = 0;
    }
    waiting_ = ready_ = metadata_full_ = halves_ = 0;
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(waiting_, metadata_full_, halves_, ready_);
    for (Warp& warp : warps_) archive(warp.waiting, warp.accepted, warp.pc);
  }

 private:
  struct Waiting {
    base::Cycle ready;
    protocol::TensorResult row;
  };
  struct alignas(32) Warp {
    explicit Warp(std::size_t dispatch_depth) : waiting(dispatch_depth) {}
    base::BoundedQueue<Waiting> waiting;
    unsigned accepted = 0;
    std::uint32_t pc = 0;
  };

  std::uint32_t waiting_ = 0, metadata_full_ = 0, halves_ = 0;
  std::uint32_t ready_ = 0;  // those whose first waiting micro-op is known to be ready
  const unsigned metadata_depth_;
  std::vector<Warp> warps_;
};

}  // namespace spica::tensor_core
