// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/base/count_bits.h"
#include "models/simt_core/fast/slice.h"
#include "models/simt_core/warp/warp_state.h"

namespace spica::simt_core::fast {

/// The slice that a core executes, with what only the core needs: which warp it is, and what is counted of it.
struct RunningSlice final : Slice {
  unsigned index = 0;  // of the warp
  WarpState* warp = nullptr;
  std::int64_t counted = 0;  // budget after the instructions that are counted
  unsigned active = 0;  // lanes
  bool leave = false;  // it ends here
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
  /// The next instruction.
  void go_to(const Op* next) { op = start = next; }
  /// Gives it that many instructions.
  void give(std::int64_t instructions) {
    budget = counted = instructions;
    over = false;
  }
  /// An instruction that the core itself has executed and counted.
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
