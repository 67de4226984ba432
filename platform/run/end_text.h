// SPDX-License-Identifier: Apache-2.0
// Pieces of the texts about the end of a run, for both modes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/isa/machine_mode.h"
#include "models/isa/registers.h"
#include "models/isa/simt_control.h"
#include "platform/loader/source_map.h"
#include "platform/run/session.h"
#include "platform/soc/soc_params.h"

namespace spica::run {

/// FNV-1a over everything the guest can tell apart about one warp.
std::uint64_t hash_warp(std::uint32_t pc, const isa::SimtState& simt, const isa::RegisterFile& registers);

/// Warps of one core at a barrier.
struct BarrierArrivals {
  unsigned waiting = 0, expected = 0;
};
/// One line on barrier `id` of cluster `cluster`: who has arrived, who is missing; "" when nobody has arrived.
/// `complete`: cores whose warps are all there, one bit each.
std::string open_barrier(unsigned cluster, unsigned id, const std::vector<BarrierArrivals>& cores,
                         std::uint32_t complete);

/// The last trap of a warp; "" when it took none, or the last was a call.
std::string trap_line(unsigned core, unsigned warp, const isa::MachineMode& machine,
                      const loader::SourceMap& sources);

/// Why a run with so many running warps has not finished, in one sentence.
std::string why(End end, unsigned running, unsigned at_barrier, const soc::RunParams& params);

}  // namespace spica::run
