// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/isa/lane_kernels.h"
#include "models/simt_core/fast/op.h"

namespace spica::simt_core::fast {

/// Memory that the loops reach by a pointer. From base + offset on, a row of words of all lanes is inside for every
/// offset < limit, and the word of one lane for every offset < lane_limit.
struct Window {
  std::uint32_t base = 0;
  std::uint32_t limit = 0;
  std::uint32_t lane_limit = 0;
  unsigned char* data = nullptr;
};

/// What a loop works on: one warp for a while. Plain data, because the loops are compiled for several kinds of
/// host (see models/isa/lane_kernels.h).
struct Slice {
  std::uint32_t* rows = nullptr;  // row 0 of the register file
  isa::FloatState* floating = nullptr;
  unsigned stride = 0;  // words of a row
  const std::uint32_t* identity = nullptr;  // rows by Identity; that of the mask is not used
  const std::uint32_t* stacks = nullptr;  // a row: where the stacks of the lanes begin
  std::uint32_t mask = 0;  // active lanes
  std::uint32_t all_lanes = 0;  // that the warp has
  std::int64_t budget = 0;  // instructions still to execute, but for those from `start` to `op`
  const Op* op = nullptr;  // the next one
  const Op* start = nullptr;  // from here on they are not counted yet
  bool over = false;  // the budget was used up at the last jump
  Page* const* pages = nullptr;  // by number, of the whole address space
  Window global, shared;  // for loads
  Window global_store, shared_store;  // for stores: empty while an observer wants to know of each
  std::uint32_t watch_begin = 0, watch_bytes = 0;  // stores to global memory that take the slow path
  /// Does what the loop does not do itself: one instruction, or looking one up. False: the loop returns.
  bool (*step)(Slice&) = nullptr;
  void* core = nullptr;
};

/// Runs until the budget is used up, which is checked when control flow jumps, or until step() ends it.
using Loop = void (*)(Slice&);
/// The loops for the warps of a core. A loop returns when not all lanes are active any more, or all are.
struct Loops {
  Loop all_lanes, some_lanes;
  /// The host's sticky exception bits := the warp's: an exception that it already has then costs no time.
  void (*begin)(const isa::FloatState&);
};
/// The fastest that this host runs, for warps of `lanes` lanes.
Loops loops(unsigned lanes);

/// All loops of one kind of host.
struct HostLoops {
  Loop all[6];  // of 1, 2, 4, 8, 16 and 32 lanes
  Loop some_of_eight, some_of_more;
  void (*begin)(const isa::FloatState&);
};

}  // namespace spica::simt_core::fast
