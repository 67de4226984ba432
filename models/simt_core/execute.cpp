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
  blocked_ &= ~(1u << w);  // it may have waited for room here
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
  Warp& warp = warps_[w];
  due = std::max(due, warp.last_commit + 1);
  while (!warp.take_write_back(due)) ++due;  // one write-back per warp and cycle
  warp.last_commit = due;
  completions_.schedule(
      now(), due,
      {static_cast<std::uint8_t>(w), unlocks_fetch, static_cast<std::uint8_t>(count_bits(entry.mask)),
       entry.pc, entry.instruction->writes()});
}

void SimtCore::commit(const Completion& completion) {
  Warp& warp = warps_[completion.warp];
  const std::uint32_t bit = 1u << completion.warp;
  ++stats_.commits;
  warp.leave_write_back(now());
  warp.pending_rows &= ~completion.writes;
  --warp.in_flight;
  // A cycle that the third register port takes must see which warps would try.
  if (((completion.writes | Warp::kAnyCommit) & warp.awaited) != 0 || decoupled_tensor_ != nullptr)
    blocked_ &= ~bit;
  committed_threads_ += completion.lanes;
  if (probe_ != nullptr && completion.lanes != 0)
    probe_->on_commit(now(), origin(completion.warp, completion.pc, warp.simt.mask()), warp.registers);
  if (completion.unlocks_fetch) {
    resolving_ &= ~bit;
    locked_ &= ~bit;
  }
}

void SimtCore::execute_warp_control(unsigned w, const Dispatched& entry, base::Cycle due) {
  Warp& warp = warps_[w];
  const isa::Instruction& instruction = *entry.instruction;
  const Fetched fetched{&instruction, entry.pc};
  const unsigned lane = isa::scalar_lane(entry.mask);
  const auto operand = [&](std::uint8_t row) {
    return row == isa::kNoRegister ? 0u : warp.registers.row(row)[lane];
  };
  const Ready ready{instruction, entry.pc, warp.registers, entry.mask};
  if (const Oddity odd = odd_control(ready, params_, active_, w); odd != Oddity::kNone)
    warn(odd, w, fetched, entry.mask);
  bool unlocks = true;
  switch (instruction.opcode) {
    case isa::Opcode::kTmc: warp.simt.tmc(operand(instruction.rs1)); break;
    case isa::Opcode::kPred:
      warp.simt.pred(lanes_with_bit0(warp.registers, instruction.rs1, entry.mask), operand(instruction.rs2));
      break;
    case isa::Opcode::kWspawn: spawn_warps(w, operand(instruction.rs1), operand(instruction.rs2)); break;
    case isa::Opcode::kSplit: {
      const std::uint32_t condition = lanes_with_bit0(warp.registers, instruction.rs1, entry.mask);
      const isa::SplitResult result = warp.simt.split(condition, entry.pc + 4);
      if (result.overflow) {
        report(stack_overflow(), w, fetched);
        return;
      }
      if (instruction.rd != isa::kNoRegister) {
        std::uint32_t* row = warp.registers.row(instruction.rd);
        for (std::uint32_t rest = entry.mask; rest != 0; rest &= rest - 1)
          row[__builtin_ctz(rest)] = result.diverged ? 1 : 0;
      }
      break;
    }
    case isa::Opcode::kJoin: {
      const isa::JoinResult result = warp.simt.join((operand(instruction.rs1) & 1) != 0);
      if (result.underflow) {
        report(join_without_split(), w, fetched);
        return;
      }
      if (result.jumps) warp.pc = result.pc;
      break;
    }
    case isa::Opcode::kBar:
      unlocks = false;
      execute_barrier(w, operand(instruction.rs1), operand(instruction.rs2));
      break;
    default: break;
  }
  complete(w, entry, due, unlocks);
  if (warp.simt.mask() == 0) end_warp(w, entry.pc);
}

void SimtCore::end_warp(unsigned w, std::uint32_t pc) {
  active_ &= ~(1u << w);
  if (probe_ != nullptr) probe_->on_warp_end(now(), origin(w, pc, 0));
  Warp& warp = warps_[w];
  if (warp.simt.depth() != 0 && warned_.insert(pc).second)
    report(mask_not_restored(), w, {&decoder_.get(0), pc});
  warp.simt.clear_stack();
}

void SimtCore::spawn_warps(unsigned w, std::uint32_t count, std::uint32_t pc) {
  const std::uint32_t by = warps_[w].issue_pc;
  for (unsigned i = 0; i < std::min<std::uint64_t>(count, params_.warps); ++i) {
    if (i == w) continue;
    Warp& target = warps_[i];
    const std::uint32_t bit = 1u << i;
    if ((active_ & bit) == 0) locked_ &= ~bit;
    redirect(i, pc);
    machine_[i].restart();
    target.simt.tmc(target.simt.mask() | 1);
    if (probe_ != nullptr)
      probe_->on_warp_start(now(), origin(w, by, warps_[w].simt.mask()), identity_.core, i, pc);
    active_ |= bit;
  }
}

void SimtCore::execute_barrier(unsigned w, std::uint32_t id, std::uint32_t count) {
  ++stats_.barriers;
  id %= static_cast<std::uint32_t>(params_.barriers);
  at_barrier_ |= 1u << w;
  warps_[w].barrier_id = id;
  warps_[w].barrier_count = count;
  if (probe_ != nullptr)
    probe_->on_barrier_arrival(now(), origin(w, warps_[w].issue_pc, warps_[w].simt.mask()), id, count);
  if (++barrier_arrivals_[id] == count)
    barrier_requests_.schedule(now(), now() + params_.barrier_request_latency, id);
}

void SimtCore::release(unsigned id) {
  if (probe_ != nullptr) probe_->on_barrier_release(now(), identity_.core, id);
  for (std::uint32_t rest = at_barrier_; rest != 0; rest &= rest - 1) {
    const auto w = static_cast<unsigned>(__builtin_ctz(rest));
    if (warps_[w].barrier_id != id) continue;
    at_barrier_ &= ~(1u << w);
    locked_ &= ~(1u << w);
    resolving_ &= ~(1u << w);
  }
  barrier_arrivals_[id] = 0;
  wake_now();
}

}  // namespace spica::simt_core
