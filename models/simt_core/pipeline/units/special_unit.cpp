// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units/special_unit.h"

namespace spica::simt_core {

bool SpecialUnit::offer(const Candidate& c) {
  const bool control = c.instruction.unit == isa::Unit::kWarpControl;
  if (c.instruction.unit == isa::Unit::kCsr && stages_.scoreboard.in_flight(c.warp) != 0) {
    stages_.scoreboard.block(c.warp, IssueReason::kDrain, Scoreboard::kAnyCommit);
    return false;
  }
  Executor& executor = stages_.core.executor;
  if (control && stages_.waits_for_memory(at(c), c.instruction)) {
    stages_.scoreboard.block(c.warp, IssueReason::kDrain);  // until they are done
    return false;
  }
  if (!has_room(c.warp)) return false;
  if (!control && !stages_.flow.take(executor.execute(at(c), c.instruction), c.warp, c.pc)) return false;
  push(c);
  issue(c, c.instruction.producer);
  return true;
}

base::Cycle SpecialUnit::take(unsigned warp, const Dispatched& entry, base::Cycle now, base::Cycle) {
  const Decoded& instruction = *entry.instruction;
  const bool in_packets = instruction.unit != isa::Unit::kSystem;
  const base::Cycle interval = in_packets ? std::max(1u, packets(entry.mask)) : 1;
  bool unlocks_fetch = true;
  bool ends = false;
  const std::uint32_t pc = entry.pc;
  const std::uint32_t mask = entry.mask;
  const unsigned lanes = entry.lanes;
  if (instruction.unit == isa::Unit::kWarpControl) {
    const Effect effect = stages_.core.executor.execute({warp, pc, mask, now}, instruction);
    if (!stages_.flow.take(effect, warp, pc)) return interval;
    unlocks_fetch = effect.kind != Effect::Kind::kBarrier;
    ends = effect.ended;
  }
  stages_.commit.complete(now, warp, instruction, pc, lanes, now + instruction.delay + interval - 1,
                          unlocks_fetch);
  if (ends && stages_.core.watchers.any())
    stages_.core.watchers.warp_end(now, stages_.core.identity.origin(warp, pc, 0));
  return interval;
}

/// Packets of `sfu_lanes` lanes that have an active lane.
unsigned SpecialUnit::packets(std::uint32_t mask) const {
  const Params& params = stages_.core.params;
  unsigned count = 0;
  for (std::uint64_t first = 0; first < params.lanes; first += params.sfu_lanes)
    count += (mask >> first & ((std::uint64_t{1} << params.sfu_lanes) - 1)) != 0;
  return count;
}

}  // namespace spica::simt_core
