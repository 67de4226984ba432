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
    : arrivals_(params.barriers, 0) {
  const isa::ControlFlowMaker make = control_flow ? control_flow : control_flow_of(params);
  for (unsigned w = 0; w < params.warps; ++w)
    warps_.emplace_back(
        static_cast<unsigned>(params.lanes),
        make(static_cast<unsigned>(params.simt_stack_depth), static_cast<unsigned>(params.lanes)),
        params.tensor_registers);
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

bool CoreState::arrive(unsigned warp, std::uint32_t id, std::uint32_t count) {
  if (const protocol::WorkGroup& group = warps_[warp].group; group.exists()) {
    id = group.first_barrier + (group.barriers != 0 ? id % group.barriers : 0);
    if (count == 0) count = group.warps_of_core;
  }
  id %= static_cast<std::uint32_t>(arrivals_.size());
  at_barrier_ |= 1u << warp;
  warps_[warp].barrier_id = id;
  warps_[warp].barrier_count = count;
  return ++arrivals_[id] == count;
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
  active_ = at_barrier_ = 0;
  halted_ = false;
}

}  // namespace spica::simt_core
