// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/base/bounded_queue.h"
#include "models/base/types.h"
#include "models/isa/instruction.h"

namespace spica::simt_core {

/// The operand buffer of warp 0 as seen by the published load/store unit while no instruction arrives: the current
/// entry or, if the buffer is empty, the one `entries` pushes ago. The unit's test for a fence ignores the valid bit.
/// While it sees an apparent fence and accesses are in flight, it takes no instruction until they complete.
///
/// Source   vortex core/VX_lsu_unit.sv, libs/VX_lzc.sv, libs/VX_stream_buffer.sv (2 entries), libs/VX_fifo_queue.sv
///          (4); RTL simulation
class StaleOperands {
 public:
  /// `entries`: depth of the checked buffer; 0: the valid bit is checked.
  explicit StaleOperands(std::uint64_t entries) : entries_(static_cast<unsigned>(entries)), coming_(16) {}

  bool on() const { return entries_ != 0; }
  /// An instruction of warp 0 enters the buffer in cycle `at`.
  void push(base::Cycle at, const isa::Instruction& instruction) {
    if (coming_.full()) take();  // not read for that long
    coming_.push({at, looks_like_fence(instruction)});
  }
  /// True if the entry seen in cycle `now` looks like a fence. Call in the order of cycles.
  bool shows_fence(base::Cycle now) {
    while (!coming_.empty() && coming_.front().at < now) take();
    return !coming_.empty() && coming_.front().at == now
               ? coming_.front().fence
               : last_[(pushes_ + last_.size() - entries_) % last_.size()];
  }
  /// True if the unit takes nothing; `busy`: accesses are in flight.
  bool locks(bool busy) {
    locked_ = locked_ && busy;
    return locked_;
  }
  /// Accesses are in flight and no instruction arrives in cycle `now`: the unit sees the contents of the buffer.
  void observe(base::Cycle now) { locked_ = shows_fence(now) || locked_; }
  void reset() {
    locked_ = false;
    coming_.clear();
    last_.fill(false);
    pushes_ = 0;
  }

  /// True for operation codes 12 to 15 of the published decoder.
  static bool looks_like_fence(const isa::Instruction& instruction) {
    switch (instruction.opcode) {
      case isa::Opcode::kAnd:
      case isa::Opcode::kAndi:
      case isa::Opcode::kOr:
      case isa::Opcode::kOri:
      case isa::Opcode::kXor:
      case isa::Opcode::kXori:
      case isa::Opcode::kSll:
      case isa::Opcode::kSlli:
      case isa::Opcode::kFmaddS:
      case isa::Opcode::kFmsubS:
      case isa::Opcode::kFnmsubS:
      case isa::Opcode::kFnmaddS: return true;
      default: return instruction.unit == isa::Unit::kFence;
    }
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(coming_, last_, pushes_, locked_);
  }

 private:
  struct Coming {
    base::Cycle at = 0;
    bool fence = false;
  };
  void take() {
    last_[pushes_++ % last_.size()] = coming_.front().fence;
    coming_.drop();
  }

  const unsigned entries_;
  base::BoundedQueue<Coming> coming_;
  std::array<bool, 8> last_{};  // by push number, modulo the size
  std::uint64_t pushes_ = 0;
  bool locked_ = false;
};

}  // namespace spica::simt_core
