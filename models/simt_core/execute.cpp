// SPDX-License-Identifier: Apache-2.0
// Execution units: which instruction each takes in a cycle, when it is done, and warp control.
#include <fmt/format.h>

#include <algorithm>

#include "models/simt_core/simt_core.h"

namespace spica::simt_core {

SimtCore::UnitTiming SimtCore::timing_of(isa::Unit unit, const Params& p) {
  const auto timing = [](base::Cycle latency, base::Cycle interval, IssueReason producer) {
    return UnitTiming{static_cast<std::uint8_t>(latency), static_cast<std::uint8_t>(interval), false,
                      producer};
  };
  switch (unit) {
    case isa::Unit::kMul: return timing(p.mul_latency, 1, IssueReason::kAluResult);
    case isa::Unit::kDiv: return timing(p.div_latency, p.div_interval, IssueReason::kAluResult);
    case isa::Unit::kFpuFma: return timing(p.fma_latency, 1, IssueReason::kFpuResult);
    case isa::Unit::kFpuMisc: return timing(p.fpu_misc_latency, 1, IssueReason::kFpuResult);
    case isa::Unit::kFpuConvert: return timing(p.fpu_convert_latency, 1, IssueReason::kFpuResult);
    case isa::Unit::kFpuDivide:
    case isa::Unit::kFpuSqrt:
      return timing(p.fpu_divide_latency, p.fpu_divide_interval, IssueReason::kFpuResult);
    case isa::Unit::kCsr:  // and the time for its packets
    case isa::Unit::kWarpControl:
    case isa::Unit::kSystem: {
      UnitTiming result = timing(p.sfu_latency, 1, IssueReason::kAluResult);
      result.unlocks_fetch = true;
      return result;
    }
    default: {
      UnitTiming result = timing(p.alu_latency, 1, IssueReason::kAluResult);
      result.unlocks_fetch = unit == isa::Unit::kBranch;
      return result;
    }
  }
}

/// Packets of `sfu_lanes` lanes that have an active lane; the special-function unit takes one per cycle.
unsigned SimtCore::sfu_packets(std::uint32_t mask) const {
  unsigned packets = 0;
  for (unsigned first = 0; first < params_.lanes; first += static_cast<unsigned>(params_.sfu_lanes))
    packets += (mask >> first & ((std::uint64_t{1} << params_.sfu_lanes) - 1)) != 0;
  return packets;
}

void SimtCore::run_units() {
  units_due_ = base::kNever;
  for (std::uint32_t rest = pending_units_; rest != 0; rest &= rest - 1) {
    const auto unit = static_cast<unsigned>(__builtin_ctz(rest));
    if (unit_due(unit) <= now()) run_unit(unit);
    units_due_ = std::min(units_due_, unit_due(unit));
  }
}

void SimtCore::run_unit(unsigned unit) {
  unsigned w = 0;
  const Dispatched* taken = units_[unit].take(now(), w);
  if (taken == nullptr) return;
  ++stats_.dispatches;
  scoreboard_.wake(w);  // it may have waited for room here
  const Dispatched& entry = *taken;
  if (units_[unit].empty()) pending_units_ &= ~(1u << unit);
  if (unit == kLoadStore) {
    load_store_.enqueue(entry.slot, now());
    memory_due_ = load_store_.due();
    units_[unit].hold_until(now() + 1);
    return;
  }
  const isa::Unit kind = entry.instruction->unit;
  const UnitTiming timing = timing_[static_cast<unsigned>(kind)];
  base::Cycle latency = timing.latency;
  base::Cycle interval = timing.interval;
  if (kind == isa::Unit::kCsr || kind == isa::Unit::kWarpControl) {
    interval = std::max(1u, sfu_packets(entry.mask));
    latency += interval - 1;
  }
  units_[unit].hold_until(now() + interval);
  const base::Cycle due = now() + latency + params_.commit_latency;
  if (kind == isa::Unit::kWarpControl) execute_warp_control(w, entry, due);
  else complete(w, entry, due, timing.unlocks_fetch);
}

void SimtCore::complete(unsigned w, const Dispatched& entry, base::Cycle due, bool unlocks_fetch) {
  write_back_.schedule_in_order(
      now(), due,
      {static_cast<std::uint8_t>(w), unlocks_fetch, static_cast<std::uint8_t>(base::count_bits(entry.mask)),
       entry.pc, entry.instruction->writes()});
}

void SimtCore::commit(const Completion& completion) {
  const unsigned w = completion.warp;
  ++stats_.commits;
  write_back_.leave_port(w, now());
  scoreboard_.commit(w, completion.writes);
  // A cycle that the third register port takes must see which warps would try.
  if (decoupled_tensor_ != nullptr) scoreboard_.wake(w);
  committed_threads_ += completion.lanes;
  if (probe_ != nullptr && completion.lanes != 0)
    probe_->on_commit(now(), origin(w, completion.pc, state_[w].simt.mask()), state_[w].registers);
  if (completion.unlocks_fetch) front_end_.resolve(1u << w);
}

void SimtCore::execute_warp_control(unsigned w, const Dispatched& entry, base::Cycle due) {
  const std::uint32_t active_before = state_.active();
  const Effect effect = executor_.execute({w, entry.pc, entry.mask, now()}, *entry.instruction);
  if (!effect.done()) {
    refused(effect, w, entry.pc);
    return;
  }
  switch (effect.kind) {
    case Effect::Kind::kJump: front_end_.jump(w, effect.pc); break;
    case Effect::Kind::kSpawn: start_warps(w, active_before, effect); break;
    case Effect::Kind::kBarrier: come_to_barrier(w, effect.complete); break;
    default: break;
  }
  complete(w, entry, due, effect.kind != Effect::Kind::kBarrier);
  if (effect.ended && probe_ != nullptr) probe_->on_warp_end(now(), origin(w, entry.pc, 0));
}

void SimtCore::start_warps(unsigned w, std::uint32_t active_before, const Effect& effect) {
  front_end_.unlock(effect.warps & ~active_before);
  for (std::uint32_t rest = effect.warps; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<unsigned>(__builtin_ctz(rest));
    redirect(i, effect.pc);
    if (probe_ != nullptr)
      probe_->on_warp_start(now(), origin(w, warps_[w].issue_pc, state_[w].simt.mask()), identity_.core, i,
                            effect.pc);
  }
}

void SimtCore::come_to_barrier(unsigned w, bool complete) {
  ++stats_.barriers;
  const WarpState& warp = state_[w];
  if (probe_ != nullptr)
    probe_->on_barrier_arrival(now(), origin(w, warps_[w].issue_pc, warp.simt.mask()), warp.barrier_id,
                               warp.barrier_count);
  if (complete) barrier_requests_.schedule(now(), now() + params_.barrier_request_latency, warp.barrier_id);
}

void SimtCore::release(unsigned id) {
  if (probe_ != nullptr) probe_->on_barrier_release(now(), identity_.core, id);
  front_end_.resolve(state_.release(id));
  wake_now();
}

}  // namespace spica::simt_core
