// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/isa/lane_kernels.h"
#include "models/simt_core/fast/op.h"

namespace spica::simt_core::fast {

/// Memory that the loops access through a pointer, from base + offset: a row of words of all lanes is inside for every
/// offset < limit, and the word of one lane for every offset < lane_limit.
struct Window {
  std::uint32_t base = 0;
  std::uint32_t limit = 0;
  std::uint32_t lane_limit = 0;
  unsigned char* data = nullptr;
};

/// The data of a loop: one warp for one slice. Plain data, because the loops are compiled for several types of host
/// (see models/isa/lane_kernels.h).
struct Slice {
  std::uint32_t* rows = nullptr;  // row 0 of the register file
  isa::FloatState* floating = nullptr;
  unsigned stride = 0;  // words of a row
  const std::uint32_t* identity = nullptr;  // rows by Identity; that of the mask is unused
  const std::uint32_t* stacks = nullptr;  // a row: the ends of the lanes' stacks
  std::uint32_t mask = 0;  // active lanes
  std::uint32_t all_lanes = 0;  // all lanes of the warp
  std::int64_t budget = 0;  // instructions left to execute, not counting those from `start` to `op`
  const Op* op = nullptr;  // the next instruction
  const Op* start = nullptr;  // first instruction that is not counted yet
  bool over = false;  // the budget was used up at the last jump
  Page* const* pages = nullptr;  // by number, of the whole address space
  Window global, shared;  // for loads
  Window global_store, shared_store;  // for stores; empty while an observer needs each store
  std::uint32_t watch_begin = 0, watch_bytes = 0;  // range of global memory whose stores take the slow path
  /// Executes an instruction that the loop does not handle, or looks one up. False: the loop returns.
  bool (*step)(Slice&) = nullptr;
  void* core = nullptr;
};

/// Runs until the budget is used up, which is checked when control flow jumps, or until step() ends it.
using Loop = void (*)(Slice&);
/// The loops for the warps of a core. A loop returns when the mask changes between all lanes and some lanes.
struct Loops {
  Loop all_lanes, some_lanes;
  /// Sets the host's sticky exception bits to those of the warp, so that exceptions already set cost no time.
  void (*begin)(const isa::FloatState&);
};
/// The fastest loops for this host, for warps of `lanes` lanes.
Loops loops(unsigned lanes);

/// All loops of one kind of host.
struct HostLoops {
  Loop all[6];  // for 1, 2, 4, 8, 16 and 32 lanes
  Loop some_of_eight, some_of_more;
  void (*begin)(const isa::FloatState&);
};

}  // namespace spica::simt_core::fast
