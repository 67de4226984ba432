// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/base/bounded_queue.h"
#include "models/base/types.h"
#include "models/isa/instruction.h"

namespace spica::simt_core {

/// What the published load/store unit sees of the operand buffer of warp 0 while nothing comes to it: the instruction
/// that is there or, when the buffer is empty, the one that was there `entries` pushes ago. Its test for a fence does
/// not look at the valid bit. While it sees what looks like a fence and accesses are under way, it takes nothing until
/// they are done.
///
/// Source   vortex core/VX_lsu_unit.sv, libs/VX_lzc.sv, libs/VX_stream_buffer.sv (2 entries), libs/VX_fifo_queue.sv
///          (4); RTL simulation
class StaleOperands {
 public:
  /// `entries`: depth of the checked buffer; 0: the valid bit is checked.
  explicit StaleOperands(std::uint64_t entries) : entries_(static_cast<unsigned>(entries)), coming_(16) {}

  bool on() const { return entries_ != 0; }
  /// An instruction of warp 0 is in the buffer in cycle `at`.
  void push(base::Cycle at, const isa::Instruction& instruction) {
    if (coming_.full()) take();  // not looked at for so long
    coming_.push({at, looks_like_fence(instruction)});
  }
  /// What is seen in cycle `now` looks like a fence. In the order of the cycles.
  bool shows_fence(base::Cycle now) {
    while (!coming_.empty() && coming_.front().at < now) take();
    return !coming_.empty() && coming_.front().at == now
               ? coming_.front().fence
               : last_[(pushes_ + last_.size() - entries_) % last_.size()];
  }
  /// The unit takes nothing; `busy`: accesses are under way.
  bool locks(bool busy) {
    locked_ = locked_ && busy;
    return locked_;
  }
  /// Accesses are under way, and nothing has come in cycle `now`: the unit sees the contents of the buffer.
  void look(base::Cycle now) { locked_ = shows_fence(now) || locked_; }
  void reset() {
    locked_ = false;
    coming_.clear();
    last_.fill(false);
    pushes_ = 0;
  }

  /// Operation codes 12 to 15 of the published decoder.
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
  std::array<bool, 8> last_{};  // by number of the push, modulo their number
  std::uint64_t pushes_ = 0;
  bool locked_ = false;
};

}  // namespace spica::simt_core
