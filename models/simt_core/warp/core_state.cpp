// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/warp/core_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/isa/csr.h"
#include "models/isa/min_pc.h"
#include "models/isa/simt_stack.h"

namespace spica::simt_core {

namespace {

isa::ControlFlowMaker control_flow_of(const Params& params) {
  return params.reconvergence == Reconvergence::kMinPc ? isa::MinPc::make : isa::SimtStack::make;
}

}  // namespace

CoreState::CoreState(const Params& params, const isa::ControlFlowMaker& control_flow)
    : registers_(params.warps * isa::RegisterFile::blocks_of(static_cast<unsigned>(params.lanes))),
      fragments_(params.warps * params.tensor_registers * isa::kMaxLanes),
      arrivals_(params.barriers, 0) {
  const isa::ControlFlowMaker make = control_flow ? control_flow : control_flow_of(params);
  const auto lanes = static_cast<unsigned>(params.lanes);
  warps_.reserve(params.warps);
  for (unsigned w = 0; w < params.warps; ++w)
    warps_.emplace_back(
        isa::RegisterFile(registers_.begin() + w * isa::RegisterFile::blocks_of(lanes), lanes),
        make(static_cast<unsigned>(params.simt_stack_depth), lanes),
        FragmentFile(fragments_.begin() + w * params.tensor_registers * isa::kMaxLanes,
                     params.tensor_registers));
}

void CoreState::launch() {
  warps_[0].flow->tmc(1);
  active_ |= 1;
}

void CoreState::launch(unsigned warp, std::uint32_t lanes, const protocol::WorkGroup& group) {
  WarpState& state = warps_[warp];
  state.reset();
  state.group = group;
  state.machine.write(isa::csr::kMscratch, group.argument);
  state.flow->tmc(lanes);
  active_ |= 1u << warp;
}

std::uint32_t CoreState::spawn(unsigned by, std::uint32_t count) {
  const std::uint32_t all = ~std::uint32_t{0} >> (32 - warps());
  const std::uint32_t started = (count >= warps() ? all : (1u << count) - 1) & ~(1u << by);
  for (std::uint32_t rest = started; rest != 0; rest &= rest - 1) {
    WarpState& warp = warps_[static_cast<unsigned>(__builtin_ctz(rest))];
    warp.machine.restart();
    warp.flow->tmc(warp.mask() | 1);
  }
  active_ |= started;
  return started;
}

bool CoreState::end(unsigned warp) {
  active_ &= ~(1u << warp);
  const bool whole = warps_[warp].flow->depth() == 0;
  warps_[warp].flow->clear();
  return whole;
}

std::uint32_t CoreState::leave_group(unsigned warp) {
  const protocol::WorkGroup& group = warps_[warp].group;
  if (!group.exists() || !group.ended_warps_arrive) return 0;
  if (ended_.size() <= group.slot) ended_.resize(group.slot + 1);
  if (++ended_[group.slot] == group.warps_of_core) {  // the slot is free for another group
    ended_[group.slot] = 0;
    return 0;
  }
  std::uint32_t complete = 0;
  for (std::uint32_t rest = at_barrier_; rest != 0; rest &= rest - 1) {
    const WarpState& other = warps_[static_cast<unsigned>(__builtin_ctz(rest))];
    if (other.group.slot == group.slot && other.barrier_count == group.warps_of_core &&
        arrivals_[other.barrier_id] == group.warps_of_core - ended_[group.slot])
      complete |= 1u << other.barrier_id;
  }
  return complete;
}

std::uint32_t CoreState::ended_beside(unsigned warp) const {
  const protocol::WorkGroup& group = warps_[warp].group;
  return group.exists() && group.slot < ended_.size() ? ended_[group.slot] : 0;
}

bool CoreState::arrive(unsigned warp, std::uint32_t id, std::uint32_t count, std::uint32_t pc) {
  if (const protocol::WorkGroup& group = warps_[warp].group; group.exists()) {
    id = group.first_barrier + (group.barriers != 0 ? id % group.barriers : 0);
    if (count == 0) count = group.warps_of_core;
  }
  id %= static_cast<std::uint32_t>(arrivals_.size());
  at_barrier_ |= 1u << warp;
  warps_[warp].barrier_id = id;
  warps_[warp].barrier_count = count;
  record_arrival(warp, id, pc);
  const bool whole = count == warps_[warp].group.warps_of_core;
  if (++arrivals_[id] != count - (whole ? ended_beside(warp) : 0)) return false;
  compare_arrivals(id);
  return true;
}

void CoreState::record_arrival(unsigned warp, std::uint32_t id, std::uint32_t pc) {
  std::vector<protocol::BarrierVisits>& visits = warps_[warp].barrier_visits;
  visits.resize(arrivals_.size());
  protocol::BarrierVisits& here = visits[id];
  ++here.arrivals;
  here.previous_pc = here.last_pc;
  here.last_pc = pc;
}

/// The barrier is complete on this core. A warp that came from another place than all others may belong elsewhere.
void CoreState::compare_arrivals(std::uint32_t id) {
  std::uint32_t there = 0;
  for (std::uint32_t rest = at_barrier_; rest != 0; rest &= rest - 1)
    if (warps_[static_cast<unsigned>(__builtin_ctz(rest))].barrier_id == id) there |= rest & -rest;
  const auto visit = [&](std::uint32_t warps) -> protocol::BarrierVisits& {
    return warps_[static_cast<unsigned>(__builtin_ctz(warps))].barrier_visits[id];
  };
  const auto find_other = [&](std::uint32_t warps,
                              std::uint32_t pc) {  // the first that came from another place
    while (warps != 0 && visit(warps).last_pc == pc) warps &= warps - 1;
    return warps & -warps;
  };
  const std::uint32_t first = there & -there;
  if (find_other(there, visit(first).last_pc) == 0) return;
  for (std::uint32_t rest = there; rest != 0; rest &= rest - 1) {
    const std::uint32_t one = rest & -rest, others = there & ~one;
    protocol::BarrierVisits& here = visit(one);
    const std::uint32_t pc = visit(others).last_pc;
    if (here.odd_pc != 0 || here.last_pc == pc || find_other(others, pc) != 0) continue;
    here.odd_pc = here.last_pc;
    here.others_pc = pc;
  }
}

std::uint32_t CoreState::release(unsigned id) {
  std::uint32_t released = 0;
  for (std::uint32_t rest = at_barrier_; rest != 0; rest &= rest - 1)
    if (warps_[static_cast<unsigned>(__builtin_ctz(rest))].barrier_id == id) released |= rest & -rest;
  at_barrier_ &= ~released;
  arrivals_[id] = 0;
  return released;
}

std::string CoreState::describe(unsigned warp) const {
  const std::uint32_t bit = 1u << warp;
  if ((active_ & bit) == 0) return "ended";
  if (halted_by(warp)) return "stopped by the fault";
  if ((at_barrier_ & bit) == 0) return "";
  const WarpState& state = warps_[warp];
  return fmt::format("waits at barrier {} ({} of {} warps of this core have arrived)", state.barrier_id,
                     arrivals_[state.barrier_id], state.barrier_count);
}

void CoreState::reset() {
  for (WarpState& warp : warps_) warp.reset();
  std::fill(arrivals_.begin(), arrivals_.end(), 0u);
  ended_.clear();
  active_ = at_barrier_ = 0;
  halted_ = false;
}

}  // namespace spica::simt_core
