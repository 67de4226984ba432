// SPDX-License-Identifier: Apache-2.0
// Issue stage: scoreboard, operand read and functional execution.
#include <algorithm>
#include <array>

#include "models/simt_core/simt_core.h"

namespace spica::simt_core {

/// The execution unit of an instruction of `warp`.
inline unsigned SimtCore::unit_of(const isa::Instruction& instruction, const Warp& warp) {
  switch (instruction.unit) {
    case isa::Unit::kLoad:
    case isa::Unit::kStore:
    case isa::Unit::kAtomic:
    case isa::Unit::kFence: return kLoadStore;
    case isa::Unit::kFpuFma:
    case isa::Unit::kFpuMisc:
    case isa::Unit::kFpuConvert:
    case isa::Unit::kFpuDivide:
    case isa::Unit::kFpuSqrt: return warp.fpu;
    case isa::Unit::kCsr:
    case isa::Unit::kWarpControl:
    case isa::Unit::kSystem: return kSfu;
    default: return warp.alu;
  }
}

void SimtCore::issue() {
  if (halted_ || third_port_taken()) return;
  for (std::uint32_t rest = buffered_ & ~blocked_; rest != 0; rest &= rest - 1) {
    const auto w = static_cast<unsigned>(__builtin_ctz(rest));
    Warp& warp = warps_[w];
    const Fetched& fetched = warp.buffer.front();
    if (gate_ != nullptr && !pass_gate(w, fetched)) continue;
    const bool watched = (float_watch_ >> w & 1) != 0;
    if (__builtin_expect(watched, 0) && finds_floats_off(w, fetched)) {
      if (halted_) return;
      continue;
    }
    const isa::Instruction& instruction = *fetched.instruction;
    const bool leaves =
        instruction.opcode == isa::Opcode::kWmma ? try_issue_tensor(w, fetched) : try_issue(w, fetched);
    if (!leaves) {
      if (halted_) return;
      continue;
    }
    if (__builtin_expect(watched, 0)) note_float_change(w, instruction);
    warp.buffer.drop();
    room_ |= 1u << w;
    if (warp.buffer.empty()) {
      buffered_ &= ~(1u << w);
    } else if (const isa::Instruction& next = *warp.buffer.front().instruction;
               next.unit != isa::Unit::kTensor && !every_cycle_counts()) {
      waits_for_rows(w, next);  // known already: that spares the attempt in the next cycle
    }
  }
}

/// True when an instruction of warp `w` needs rows that are not written yet: it then waits for their
/// write-back.
inline bool SimtCore::waits_for_rows(unsigned w, const isa::Instruction& instruction) {
  Warp& warp = warps_[w];
  const std::uint64_t hazards = (instruction.reads | instruction.writes()) & warp.pending_rows;
  if (hazards == 0) return false;
  blocked_ |= 1u << w;
  warp.awaited = hazards;
  waits_for_[w] = warp.producer[static_cast<unsigned>(__builtin_ctzll(hazards))];
  return true;
}

/// Other warps may run on, or see that they may, because of the instruction: a barrier, wspawn, the end of the warp.
bool SimtCore::lets_others_go_on(unsigned w, const isa::Instruction& instruction) const {
  const Warp& warp = warps_[w];
  const std::uint32_t mask = warp.simt.mask();
  const auto operand = [&](std::uint8_t row) {
    return row == isa::kNoRegister ? 0u : warp.registers.row(row)[isa::scalar_lane(mask)];
  };
  const std::uint32_t all = ~std::uint32_t{0} >> (32 - params_.lanes);
  switch (instruction.opcode) {
    case isa::Opcode::kBar:
    case isa::Opcode::kWspawn: return true;
    case isa::Opcode::kTmc: return (operand(instruction.rs1) & all) == 0;
    case isa::Opcode::kPred:
      return lanes_with_bit0(warp.registers, instruction.rs1, mask) == 0 &&
             (operand(instruction.rs2) & all) == 0;
    default: return false;
  }
}

/// The instruction may not issue before the memory accesses of its warp are done. If so, on_memory_quiet() follows.
bool SimtCore::waits_for_memory(unsigned w, const isa::Instruction& instruction) {
  return params_.barrier_waits_for_memory && lets_others_go_on(w, instruction) &&
         load_store_.waits_for_memory(w);
}

/// Tries to issue warp `w`'s next instruction, which is none of several micro-ops. True: it leaves the
/// instruction buffer.
bool SimtCore::try_issue(unsigned w, const Fetched& fetched) {
  const isa::Instruction& instruction = *fetched.instruction;
  if (instruction.unit == isa::Unit::kTensor) return try_issue_decoupled_tensor(w, fetched);

  Warp& warp = warps_[w];
  if (waits_for_rows(w, instruction)) return false;
  if (instruction.unit == isa::Unit::kCsr && warp.in_flight != 0) {
    blocked_ |= 1u << w;
    warp.awaited = Warp::kAnyCommit;
    waits_for_[w] = IssueReason::kDrain;
    return false;
  }
  if (instruction.unit == isa::Unit::kWarpControl && waits_for_memory(w, instruction)) {
    blocked_ |= 1u << w;
    warp.awaited = 0;  // until on_memory_quiet()
    waits_for_[w] = IssueReason::kDrain;
    return false;
  }
  const unsigned unit = unit_of(instruction, warp);
  if (units_[unit].full(w)) {
    blocked_ |= 1u << w;
    warp.awaited = 0;  // until the unit takes one of the warp's instructions
    waits_for_[w] = IssueReason::kUnitBusy;
    return false;
  }

  const std::uint32_t mask = warp.simt.mask();
  switch (instruction.unit) {
    case isa::Unit::kLoad:
    case isa::Unit::kStore:
    case isa::Unit::kAtomic:
    case isa::Unit::kFence:
      if (!try_issue_memory(w, fetched)) return false;
      break;
    case isa::Unit::kBranch: {
      const Flow flow = flow_of({instruction, fetched.pc, warp.registers, mask});
      if (!check_control_flow(w, fetched, flow)) return false;
      if (flow.jumps) warp.pc = flow.target;
      if (instruction.writes() != 0)
        isa::execute(instruction, fetched.pc, warp.registers, mask, warp.floating);
      break;
    }
    case isa::Unit::kCsr:
      if (!execute_csr(w, fetched)) return false;
      break;
    case isa::Unit::kWarpControl: break;  // acts when the unit takes it
    case isa::Unit::kSystem:
      if (!execute_system(w, fetched)) return false;
      break;
    default:
      if (!isa::rounding_is_valid(instruction, warp.floating)) {
        report(reserved_rounding(), w, fetched);
        return false;
      }
      if (__builtin_expect(instruction.rd == kStackPointer && stacks_.known(), 0)) {
        if (!move_stack(w, fetched)) return false;
        break;
      }
      isa::execute(instruction, fetched.pc, warp.registers, mask, warp.floating);
      if (instruction.word == kMarkBegin || instruction.word == kMarkEnd) {
        const bool begin = instruction.word == kMarkBegin;
        if (marker.size() != 0) marker->marked(begin ? protocol::Marker::kBegin : protocol::Marker::kEnd);
      }
  }

  if (unit != kLoadStore) {
    units_[unit].push(w, {&instruction, fetched.pc, mask, 0, now() + params_.operand_latency});
    wait_for_unit(unit);
    if (instruction.writes() != 0)  // one row
      warp.producer[instruction.rd] = timing_[static_cast<unsigned>(instruction.unit)].producer;
  }
  warp.pending_rows |= instruction.writes();
  warp.issue_pc = fetched.pc;
  ++warp.in_flight;
  issued_ |= 1u << w;
  account_issue(warp, fetched);
  if (probe_ != nullptr) tell_issue(w, fetched, mask);
  return true;
}

void SimtCore::tell_issue(unsigned w, const Fetched& fetched, std::uint32_t mask) {
  probe_->on_issue({now(), origin(w, fetched.pc, mask), *fetched.instruction, warps_[w].registers});
}

/// Branches and jumps: do the active lanes agree, and is the target an instruction address?
bool SimtCore::check_control_flow(unsigned w, const Fetched& fetched, const Flow& flow) {
  const std::uint32_t mask = warps_[w].simt.mask();
  if (flow.follow != mask && params_.divergence != Divergence::kFollow) {
    const bool stop = params_.divergence == Divergence::kFault;
    if (stop || warned_.insert(fetched.pc).second)
      report(divergent_branch(flow, mask, params_.divergence), w, fetched);
    if (stop) return false;
  }
  if (flow.jumps && flow.target % 4 != 0) {
    report(misaligned_target(flow.target), w, fetched);
    return false;
  }
  return true;
}

/// An instruction that writes the stack pointer; it has no effect when a lane would leave its stack. The report waits
/// until the warp's stores are in memory: it looks at what is on the stack.
bool SimtCore::move_stack(unsigned w, const Fetched& fetched) {
  Warp& warp = warps_[w];
  const std::uint32_t mask = warp.simt.mask();
  const auto first_hart = static_cast<std::uint32_t>((identity_.core * params_.warps + w) * params_.lanes);
  std::uint32_t* const row = warp.registers.row(kStackPointer);
  std::array<std::uint32_t, isa::kMaxLanes> before, after;
  std::copy_n(row, params_.lanes, before.begin());
  isa::execute(*fetched.instruction, fetched.pc, warp.registers, mask, warp.floating);
  const std::uint32_t lanes =
      moves_stack(*fetched.instruction)
          ? stack_left(stacks_, *fetched.instruction, first_hart, mask, before.data(), row)
          : 0;
  if (lanes == 0) return true;
  std::copy_n(row, params_.lanes, after.begin());
  std::copy_n(before.begin(), params_.lanes, row);
  if (load_store_.waits_for_memory(w)) {
    blocked_ |= 1u << w;
    warp.awaited = 0;  // until on_memory_quiet()
    waits_for_[w] = IssueReason::kDrain;
    return false;
  }
  report(lane_stack_overflow(stacks_, first_hart, lanes, before.data(), after.data()), w, fetched);
  return false;
}

void SimtCore::account_issue(const Warp& warp, const Fetched& fetched) {
  const isa::Instruction& instruction = *fetched.instruction;
  const unsigned lanes = count_bits(warp.simt.mask());
  ++stats_.warp_instructions;
  ++stats_.issues;
  stats_.thread_instructions += lanes;
  const CoreStats::OfUnit& counters = stats_.of_unit[static_cast<std::size_t>(instruction.unit)];
  ++(stats_.*counters.instructions);
  stats_.*counters.lanes += lanes;
  switch (instruction.unit) {
    case isa::Unit::kStore:
    case isa::Unit::kAtomic:
      ++stats_.stores;
      stats_.lane_stores += lanes;
      break;
    case isa::Unit::kLoad: stats_.lane_loads += lanes; break;
    case isa::Unit::kCsr: ++stats_.csr; break;
    default: break;
  }
  stats_.register_reads += instruction.rows_read;
  stats_.register_writes += instruction.writes() != 0;  // one row at most
  if (profile_ != nullptr) profile_->issued(fetched.pc, instruction, lanes);
}

}  // namespace spica::simt_core
