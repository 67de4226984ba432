// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>

#include "models/base/types.h"
#include "models/matrix_unit/commands.h"
#include "models/matrix_unit/matrix_unit_params.h"

namespace spica::matrix_unit {

/// The five parts of a loop; each is unrolled by a state machine of its own.
enum class Phase : std::uint8_t { kLoadA, kLoadB, kLoadD, kExecute, kStore };
inline constexpr unsigned kPhases = 5;
inline constexpr std::uint8_t kAllPhases = (1u << kPhases) - 1;
constexpr std::uint8_t bit(Phase phase) {
  return static_cast<std::uint8_t>(1u << static_cast<unsigned>(phase));
}

/// Registers of one loop slot. They persist: a register that a loop does not write keeps the value of two loops ago.
struct LoopRegisters {
  // Written by configuration commands; bounds in blocks, padding and strides in elements.
  struct Extents {
    std::uint32_t i = 0, j = 0, k = 0;
  };
  Extents bound, pad;
  std::uint32_t address_a = 0, address_b = 0, address_d = 0, address_c = 0;
  std::uint32_t stride_a = 0, stride_b = 0, stride_d = 0, stride_c = 0;
  std::uint32_t row_a = 0, end_b = 0, row_c = 0;  // rows of shared memory
  // Written by LOOP_WS.
  bool accumulate = false, low_d = false, store_shared = false;
  std::uint32_t tile_a = 0,
                tile_b_end = 0;  // first row of A, row after B: from the registers, or a half
  std::uint32_t store_row = 0;
  std::uint32_t sums_start = 0;  // first row of the tile in the accumulator
  Origin origin{};
  std::uint32_t number = 0;  // number of the loop, from 1 on
};

/// State of one slot in addition to its registers.
struct LoopSlot {
  LoopRegisters registers;
  bool configured = false;
  base::Cycle start = 0;  // first cycle in which it may unroll
  std::uint8_t started = 0, completed = 0;  // one bit per phase

  bool has_started(Phase phase) const { return (started & bit(phase)) != 0; }
  bool has_completed(Phase phase) const { return (completed & bit(phase)) != 0; }
};

/// Two loop slots that alternate. Configuration commands go to the unconfigured slot; LOOP_WS completes it; the slot is
/// free again when all its phases have issued their commands (gemmini LoopMatmul.scala).
///
/// A loop that executes moves the accumulator tile of later loops by half the accumulator: a scratchpad-only loop if
/// bit 8 of LOOP_WS is set, any other if its C address is not 0.
class LoopSlots {
 public:
  explicit LoopSlots(const MatrixUnitParams& params);

  static bool is_loop_command(unsigned function);
  /// True if a loop command can be taken: one slot is not configured.
  bool can_accept() const { return !(slots_[0].configured && slots_[1].configured); }
  /// Takes a loop command; requires can_accept(). Returns an error, or an empty string. An invalid LOOP_WS is dropped.
  std::string accept(const RoccCommand& command, base::Cycle now);

  bool any_configured() const { return slots_[0].configured || slots_[1].configured; }
  /// True if the older loop, or a configured younger one, has a phase that has not started.
  bool has_unstarted_phase() const {
    return slots_[head_].started != kAllPhases ||
           (slots_[tail()].configured && slots_[tail()].started != kAllPhases);
  }
  /// The next cycle after `now` in which a configured loop may start to unroll, or kNever.
  base::Cycle next_start(base::Cycle now) const {
    base::Cycle next = base::kNever;
    for (const LoopSlot& slot : slots_)
      if (slot.configured && slot.start > now && slot.start < next) next = slot.start;
    return next;
  }
  /// Retires the oldest loop if it is complete; true if it did.
  bool retire() {
    LoopSlot& slot = slots_[head_];
    if (!slot.configured || slot.completed != kAllPhases) return false;
    slot.configured = false;
    slot.started = slot.completed = 0;
    head_ ^= 1;
    return true;
  }
  unsigned head() const { return head_; }
  unsigned tail() const { return head_ ^ 1; }
  LoopSlot& slot(unsigned i) { return slots_[i]; }
  const LoopSlot& slot(unsigned i) const { return slots_[i]; }
  void reset();
  template <class Archive>
  void serialize(Archive& archive) {
    archive(slots_, head_, sums_start_, loops_);
  }
  void dump(std::ostream& out) const;

 private:
  LoopSlot& configuring() { return slots_[slots_[head_].configured ? tail() : head_]; }
  std::string start(const RoccCommand& command, base::Cycle now);
  std::string check(const LoopRegisters& registers, std::uint32_t skips) const;

  const std::uint32_t dim_, shared_rows_, accumulator_rows_;
  const base::Cycle latency_;
  std::array<LoopSlot, 2> slots_;
  unsigned head_ = 0;
  std::uint32_t sums_start_ = 0;  // value for the next loop
  std::uint32_t loops_ = 0;  // loops so far
};

}  // namespace spica::matrix_unit
