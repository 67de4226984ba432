// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/base/objects.h"
#include "models/isa/instruction.h"
#include "models/isa/registers.h"
#include "models/protocol/ports/tensor_if.h"

namespace spica::tensor_core {

/// A part of a wmma: the rows of the register file that it accesses, and its position in the instruction.
struct WmmaMicroOp {
  std::uint64_t reads = 0;  // scoreboard bits of the rows read; c is the row written
  std::uint8_t a = 0, b = 0, c = 0;
  std::uint8_t step = 0, substep = 0;
  std::uint8_t number = 0;  // in its instruction
  bool last = false;

  /// The rows of both halves of a pair; called for the second half.
  protocol::TensorPair pair(isa::RegisterFile& registers) const {
    return {registers.row(a - 1u), registers.row(b - 1u), registers.row(c - 1u)};
  }
};

/// The micro-ops of a wmma: four sets of two register words of k; each set has four steps (4x4 blocks of the result);
/// each step has the two halves of a pair (vortex core/VX_uop_sequencer.sv).
///
///   micro-op (set s, step t, substep u) reads f(2s+u), f(8+2s+u) and f(c+2t+u), and writes f(c+2t+u)
class WmmaMicroOps {
 public:
  static constexpr unsigned kSteps = 4, kSubsteps = 2, kSets = 4;
  static constexpr unsigned kCount = kSets * kSteps * kSubsteps;
  using List = std::array<WmmaMicroOp, kCount>;

  /// The micro-ops of an instruction that accumulates in bank 0 (f16-f23) or 1 (f24-f31).
  static const List& of(unsigned bank) { return kLists[bank]; }

 private:
  static constexpr WmmaMicroOp micro_op(unsigned bank, unsigned position) {
    const unsigned in_set = position % (kSteps * kSubsteps), substep = position % kSubsteps;
    const unsigned word = kSubsteps * (position / (kSteps * kSubsteps)) + substep;
    WmmaMicroOp op;
    op.a = static_cast<std::uint8_t>(isa::kFloatRow + word);
    op.b = static_cast<std::uint8_t>(isa::kFloatRow + 8 + word);
    op.c = static_cast<std::uint8_t>(isa::kFloatRow + 16 + 8 * bank + in_set);
    op.reads = std::uint64_t{1} << op.a | std::uint64_t{1} << op.b | std::uint64_t{1} << op.c;
    op.step = static_cast<std::uint8_t>(in_set / kSubsteps);
    op.substep = static_cast<std::uint8_t>(substep);
    op.number = static_cast<std::uint8_t>(position);
    op.last = position + 1 == kCount;
    return op;
  }
  static constexpr std::array<List, 2> lists() {
    std::array<List, 2> lists{};
    for (unsigned bank = 0; bank < lists.size(); ++bank)
      for (unsigned position = 0; position < kCount; ++position)
        lists[bank][position] = micro_op(bank, position);
    return lists;
  }
  static const std::array<List, 2> kLists;
};

inline constexpr std::array<WmmaMicroOps::List, 2> WmmaMicroOps::kLists = WmmaMicroOps::lists();

}  // namespace spica::tensor_core

SPICA_CHECKPOINT_POINTER(const spica::tensor_core::WmmaMicroOp, const spica::tensor_core::WmmaMicroOp)
