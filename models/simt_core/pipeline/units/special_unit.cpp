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
  if (since_ == base::kNever) since_ = c.now;
  buffers_.push(c.warp, dispatched(c));
  plan(turn_of(c.warp));
  issue(c, c.instruction.producer);
  return true;
}

void SpecialUnit::reset() {
  BufferedUnit::reset();
  looks_at_ = 0;
  since_ = base::kNever;
}

/// The first cycle in which it looks at the warp and finds its next instruction.
base::Cycle SpecialUnit::turn_of(unsigned warp) const {
  const auto warps = static_cast<unsigned>(stages_.core.params.warps);
  const base::Cycle from = std::max(buffers_.front(warp).ready, since_);
  const auto at = static_cast<unsigned>((looks_at_ + from - since_) % warps);
  return from + (warp + warps - at) % warps;
}

std::pair<base::Cycle, unsigned> SpecialUnit::next_turn() const {
  std::pair<base::Cycle, unsigned> first{base::kNever, 0};
  for (std::uint32_t rest = buffers_.waiting(); rest != 0; rest &= rest - 1) {
    const auto warp = static_cast<unsigned>(__builtin_ctz(rest));
    first = std::min(first, {turn_of(warp), warp});
  }
  return first;
}

void SpecialUnit::tick(base::Cycle now) {
  if (const auto [cycle, warp] = next_turn(); cycle <= now) {
    const Dispatched entry = buffers_.take_from(warp);
    ++stages_.core.stats.dispatches;
    stages_.scoreboard.wake(warp);  // it may have waited for room here
    since_ = now + take(warp, entry, now, now);
    looks_at_ = (warp + 1) % static_cast<unsigned>(stages_.core.params.warps);
  }
  replan(next_turn().first);
}

base::Cycle SpecialUnit::take(unsigned warp, const Dispatched& entry, base::Cycle now, base::Cycle) {
  const Decoded& instruction = *entry.instruction;
  const bool in_packets = instruction.unit != isa::Unit::kSystem;
  const base::Cycle interval =
      in_packets ? stages_.core.params.sfu_interval * std::max(1u, packets(entry.mask)) : 1;
  // The warp fetches again when it is through the unit; one that has ended may be started anew by others at once.
  bool resolves = true;
  bool ends = false;
  const std::uint32_t pc = entry.pc;
  const std::uint32_t mask = entry.mask;
  const unsigned lanes = entry.lanes;
  if (instruction.unit == isa::Unit::kWarpControl) {
    const Effect effect = stages_.core.executor.execute({warp, pc, mask, now}, instruction);
    if (!stages_.flow.take(effect, warp, pc)) return interval;
    ends = effect.ended;
    resolves = effect.kind != Effect::Kind::kBarrier;
  }
  stages_.commit.complete(now, warp, instruction, pc, lanes, now + instruction.delay + interval - 1, false);
  if (resolves)
    stages_.flow.resolve_at(now, ends ? now + 1 : now + interval - 1 + stages_.core.params.sfu_latency, warp);
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
