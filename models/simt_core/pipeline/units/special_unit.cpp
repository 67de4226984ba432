// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units/special_unit.h"

namespace spica::simt_core {

bool SpecialUnit::offer(const Candidate& c) {
  const isa::Unit kind = c.instruction.unit;
  Executor& executor = stages_.core.executor;
  if (kind == isa::Unit::kWarpControl && stages_.waits_for_memory(at(c), c.instruction)) {
    stages_.scoreboard.block(c.warp, IssueReason::kDrain);  // until they are done
    return false;
  }
  if (!has_room(c)) return false;
  if (kind == isa::Unit::kCsr && !stages_.flow.take(executor.check_csr(at(c), c.instruction), c.warp, c.pc))
    return false;
  if (kind == isa::Unit::kSystem && !stages_.flow.take(executor.execute(at(c), c.instruction), c.warp, c.pc))
    return false;
  if (since_ == base::kNever) since_ = c.now;
  if (kind == isa::Unit::kCsr) stages_.core.hints.order(1u << c.warp);
  push(c);
  issue(c, c.instruction.producer);
  return true;
}

/// From the operand stage: it is taken when its turn comes.
void SpecialUnit::enter(unsigned warp, const Dispatched& entry) {
  buffers_.push(warp, entry);
  plan(turn_of(warp));
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
  if (stages_.core.params.csr_reads == CsrReads::kPipelined) return from;
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

unsigned SpecialUnit::choose(base::Cycle now, unsigned first) {
  if (stages_.core.params.csr_reads != CsrReads::kPipelined) return first;
  std::uint32_t asking = 0;
  for (std::uint32_t rest = buffers_.waiting(); rest != 0; rest &= rest - 1) {
    const auto warp = static_cast<unsigned>(__builtin_ctz(rest));
    if (turn_of(warp) <= now && !held(warp)) asking |= 1u << warp;
  }
  return asking != 0 ? buffers_.pick(asking) : first;
}

void SpecialUnit::tick(base::Cycle now) {
  stop_watching();
  if (const auto [cycle, first] = next_turn(); cycle <= now) {
    const unsigned warp = choose(now, first);
    if (held(warp)) {
      looks_at_ = warp;
      since_ = now;
      return watch();  // whatever the core does may be what it waits for
    }
    const Dispatched entry = buffers_.take_from(warp);
    ++stages_.core.stats.dispatches;
    since_ = now + take(warp, entry, now, now);
    looks_at_ = (warp + 1) % static_cast<unsigned>(stages_.core.params.warps);
    left(warp, now);
  }
  replan(next_turn().first);
}

/// Its CSR instruction waits for others of the warp.
bool SpecialUnit::held(unsigned warp) const {
  const Decoded& instruction = *buffers_.front(warp).instruction;
  return instruction.unit == isa::Unit::kCsr && instruction.in_order &&
         stages_.scoreboard.in_flight(warp) != 1;
}

/// False: it was refused.
bool SpecialUnit::execute(unsigned warp, const Dispatched& entry, base::Cycle now, Effect& effect) {
  const Decoded& instruction = *entry.instruction;
  if (instruction.unit == isa::Unit::kSystem) return true;  // has executed at issue
  effect = stages_.core.executor.execute({warp, entry.pc, entry.mask, now}, instruction);
  if (!stages_.flow.take(effect, warp, entry.pc)) return false;
  if (instruction.unit != isa::Unit::kCsr) return true;
  Context& core = stages_.core;
  core.record_state(warp);
  if (core.watchers.any()) {
    const protocol::Origin origin = core.identity.origin(warp, entry.pc, entry.mask);
    core.watchers.csr({now, origin, instruction, core.state[warp].registers});
  }
  return true;
}

base::Cycle SpecialUnit::take(unsigned warp, const Dispatched& entry, base::Cycle now, base::Cycle) {
  const Decoded& instruction = *entry.instruction;
  const bool in_packets = instruction.unit != isa::Unit::kSystem;
  const base::Cycle interval =
      in_packets ? stages_.core.params.sfu_interval * std::max(1u, packets(entry.mask)) : 1;
  // The warp fetches again when it is through the unit; one that has ended may be started anew by others at once.
  Effect effect;
  if (!execute(warp, entry, now, effect)) return interval;
  stages_.commit.complete(now, warp, instruction, entry.pc, entry.lanes,
                          now + instruction.delay + interval - 1, false);
  const Params& params = stages_.core.params;
  const base::Cycle latency = instruction.unit == isa::Unit::kCsr ? params.csr_latency : params.sfu_latency;
  if (instruction.unlocks_fetch && effect.kind != Effect::Kind::kBarrier)
    stages_.flow.resolve_at(now, effect.ended ? now + 1 : now + interval - 1 + latency, warp);
  if (effect.ended) stages_.flow.end(warp, effect.barriers);
  if (effect.ended && stages_.core.watchers.any())
    stages_.core.watchers.warp_end(now, stages_.core.identity.origin(warp, entry.pc, 0));
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
