// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/isa/instruction.h"

namespace spica::simt_core {

/// Walks a tensor instruction through its micro-ops: sets of two register words of k, in each set the four
/// steps (4x4 blocks of the result), in each step the two halves of a pair (vortex
/// core/VX_uop_sequencer.sv). wmma: 4 sets.
///
///   micro-op (set s, step t, substep u) reads f(2s+u), f(8+2s+u) and f(c+2t+u), and writes f(c+2t+u)
class TensorSequencer {
 public:
  static constexpr unsigned kSteps = 4, kSubsteps = 2, kSets = 4;
  static constexpr unsigned kMicroOps = kSets * kSteps * kSubsteps;

  /// Rows of the register file, and the place in the instruction.
  struct MicroOp {
    std::uint8_t a, b, c;
    std::uint8_t set, step, substep;
    bool last;

    /// Scoreboard bits of the rows read; c is the row written.
    std::uint64_t reads() const {
      return std::uint64_t{1} << a | std::uint64_t{1} << b | std::uint64_t{1} << c;
    }
  };

  /// The next micro-op of an instruction that accumulates in bank 0 (f16-f23) or 1 (f24-f31).
  MicroOp next(unsigned bank) const {
    const unsigned set = position_ / (kSteps * kSubsteps);
    const unsigned in_set = position_ % (kSteps * kSubsteps);
    const unsigned substep = in_set % kSubsteps;
    const unsigned word = kSubsteps * set + substep;
    return {row(word),
            row(8 + word),
            row(16 + 8 * bank + in_set),
            static_cast<std::uint8_t>(set),
            static_cast<std::uint8_t>(in_set / kSubsteps),
            static_cast<std::uint8_t>(substep),
            position_ + 1u == kMicroOps};
  }
  /// The next micro-op has issued.
  void advance() { position_ = position_ + 1u == kMicroOps ? 0 : static_cast<std::uint8_t>(position_ + 1); }
  /// An instruction has begun and not yet ended.
  bool active() const { return position_ != 0; }
  void reset() { position_ = 0; }

 private:
  static std::uint8_t row(unsigned f) { return static_cast<std::uint8_t>(isa::kFloatRow + f); }

  std::uint8_t position_ = 0;
};

}  // namespace spica::simt_core
