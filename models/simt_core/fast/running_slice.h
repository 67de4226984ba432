// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/base/bits.h"
#include "models/simt_core/fast/slice.h"
#include "models/simt_core/warp/warp_state.h"

namespace spica::simt_core::fast {

/// The current slice of a core, with the data that only the core needs: its warp and its counts.
struct RunningSlice final : Slice {
  unsigned index = 0;  // number of the warp
  WarpState* warp = nullptr;
  std::int64_t counted = 0;  // budget after the counted instructions
  unsigned active = 0;  // number of active lanes
  bool leave = false;  // the slice ends here
  // Rows of `stride` words for the loops.
  alignas(32) std::array<std::uint32_t, isa::kMaxLanes * kIdentities> identities{};
  alignas(32) std::array<std::uint32_t, isa::kMaxLanes> stack_begins{};

  RunningSlice() {
    identity = identities.data();
    stacks = stack_begins.data();
  }
  RunningSlice(const RunningSlice&) = delete;
  RunningSlice& operator=(const RunningSlice&) = delete;

  void set_identity(Identity row, unsigned lane, std::uint64_t value) {
    identities[stride * row + lane] = static_cast<std::uint32_t>(value);
  }
  void set_mask(std::uint32_t lanes) {
    mask = lanes;
    active = base::count_bits(lanes);
  }
  /// Sets the next instruction.
  void go_to(const Op* next) { op = start = next; }
  /// Sets the budget, in instructions.
  void give(std::int64_t instructions) {
    budget = counted = instructions;
    over = false;
  }
  /// Counts an instruction that the core executed itself.
  void use_one() { counted = --budget; }
  /// Instructions executed by the loops since the last call.
  std::uint64_t take_executed() {
    budget -= op - start;
    start = op;
    const auto executed = static_cast<std::uint64_t>(counted - budget);
    counted = budget;
    return executed;
  }
  /// Bytes of a row of words of all lanes.
  std::uint32_t row_bytes() const { return 4 * stride; }
};

}  // namespace spica::simt_core::fast
