// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/profile/profiler.h"

#include <numeric>

#include "models/isa/instruction.h"
#include "models/isa/stacks.h"

namespace spica::profile {

namespace {
constexpr auto kNoWarp = static_cast<unsigned>(protocol::IssueReason::kNoWarp);
}  // namespace

std::uint64_t Counts::all_cycles() const {
  return std::accumulate(cycles.begin(), cycles.end(), std::uint64_t{0});
}

void Counts::add(const Counts& other) {
  for (std::size_t i = 0; i < kReasons; ++i) cycles[i] += other.cycles[i];
  instructions += other.instructions;
  lanes += other.lanes;
  stack_accesses += other.stack_accesses;
  shared_accesses += other.shared_accesses;
  bank_degree += other.bank_degree;
  unaligned_lanes += other.unaligned_lanes;
  global_accesses += other.global_accesses;
  global_requests += other.global_requests;
  global_lanes += other.global_lanes;
}

Profiler::Profiler(unsigned cores, unsigned warps) : warps_per_core_(warps) {
  warps_.assign(std::size_t{cores} * warps, CallStack(calls_));
  slots_.assign(cores, {0, &stack_cycles(0, kNoPc), kNoWarp});
}

Cycles& Profiler::stack_cycles(std::uint32_t node, std::uint32_t pc) {
  auto& stacks = places_[pc].stacks;
  for (const auto& [known, cycles] : stacks)
    if (known == node) return *cycles;
  Cycles& cycles = stacks_[{node, pc}];
  stacks.emplace_back(node, &cycles);
  return cycles;
}

void Profiler::on_issue(const protocol::InstructionEvent& event) {
  const protocol::Origin& origin = event.origin;
  stack_of(origin.core, origin.warp).issue(event);
  Counts& counts = places_[origin.pc].counts;
  ++counts.instructions;
  counts.lanes += static_cast<unsigned>(__builtin_popcount(origin.lanes));
  counts.stack_accesses += event.instruction.access_bytes != 0 && event.instruction.rs1 == isa::kStackPointer;
}

void Profiler::on_warp_start(base::Cycle, const protocol::Origin&, unsigned core, unsigned warp,
                             std::uint32_t) {
  stack_of(core, warp).clear();
}

void Profiler::on_warp_end(base::Cycle, const protocol::Origin& origin) {
  stack_of(origin.core, origin.warp).clear();
}

void Profiler::on_issue_slot(base::Cycle cycle, unsigned core, const protocol::Origin& origin,
                             unsigned reason) {
  Slot& slot = slots_[core];
  (*slot.charged)[slot.reason] += cycle - slot.since;
  const bool no_warp = origin.unit == protocol::Origin::Unit::kNone;
  slot.charged =
      no_warp ? &stack_cycles(0, kNoPc) : &stack_cycles(stack_of(core, origin.warp).at(origin.pc), origin.pc);
  slot.reason = reason;
  slot.since = cycle;
}

void Profiler::on_shared_access(base::Cycle, unsigned, const protocol::Origin& origin, unsigned degree,
                                unsigned unaligned) {
  Counts& counts = places_[origin.pc].counts;
  ++counts.shared_accesses;
  counts.bank_degree += degree;
  counts.unaligned_lanes += unaligned;
}

void Profiler::on_global_request(base::Cycle, unsigned, const protocol::Origin& origin, bool first) {
  Counts& counts = places_[origin.pc].counts;
  counts.global_accesses += first;
  ++counts.global_requests;
  counts.global_lanes += static_cast<unsigned>(__builtin_popcount(origin.lanes));
}

void Profiler::end(base::Cycle cycle) {
  end_ = cycle;
  for (Slot& slot : slots_) {
    (*slot.charged)[slot.reason] += cycle - slot.since;
    slot.since = cycle;
  }
  for (const auto& [pc, place] : places_) instructions_[pc].add(place.counts);
  for (const auto& [key, cycles] : stacks_) {
    Counts& counts = instructions_[key.second];
    for (std::size_t i = 0; i < kReasons; ++i) counts.cycles[i] += cycles[i];
  }
}

Cycles Profiler::total() const {
  Counts sum;
  for (const auto& [pc, counts] : instructions_) sum.add(counts);
  return sum.cycles;
}

}  // namespace spica::profile
