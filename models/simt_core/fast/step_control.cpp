// SPDX-License-Identifier: Apache-2.0
// CSR instructions and warp control.
#include <algorithm>

#include "models/isa/csr.h"
#include "models/simt_core/fast/fast_core.h"

namespace spica::simt_core::fast {

bool FastCore::execute_csr(const isa::Instruction& instruction, std::uint32_t pc) {
  CsrFile file = csr_file(w_);
  const bool commands =
      file.accelerator != nullptr && static_cast<std::uint32_t>(instruction.imm) == isa::csr::kAccelerator;
  if (commands) {
    commands_.to = file.accelerator;
    file.accelerator = &commands_;
  }
  const Oddity odd = odd_csr({instruction, pc, warp_->registers, slice_.mask}, params_, warp_->machine);
  if (odd != Oddity::kNone && !takes_traps(params_, warp_->machine, map_)) warn(odd, instruction, pc);
  if (!file.execute(instruction, warp_->registers, origin(pc))) {
    mistake_ = refused_csr(instruction, warp_->machine);
    return false;
  }
  note_float_watch();
  if (probe_ != nullptr) tell_issue(instruction, pc);
  if (commands) commands_.pass_on(identity_.core_in_cluster);
  // Who looks at the other warps of the core lets them run first.
  const bool others = (active_ & ~at_barrier_ & ~(1u << w_)) != 0;
  if (others && static_cast<std::uint32_t>(instruction.imm) == isa::csr::kActiveWarps)
    time_.poll(base::kNever);
  return true;
}

bool FastCore::execute_control(const isa::Instruction& instruction, std::uint32_t pc, std::uint32_t& next) {
  FastWarp& warp = *warp_;
  const std::uint32_t mask = slice_.mask;
  const unsigned lane = isa::scalar_lane(mask);
  const auto operand = [&](std::uint8_t row) {
    return row == isa::kNoRegister ? 0 : warp.registers.row(row)[lane];
  };
  const Oddity odd = odd_control({instruction, pc, warp.registers, mask}, params_, active_, w_);
  if (odd != Oddity::kNone) warn(odd, instruction, pc);
  switch (instruction.opcode) {
    case isa::Opcode::kTmc: warp.simt.tmc(operand(instruction.rs1)); break;
    case isa::Opcode::kPred:
      warp.simt.pred(lanes_with_bit0(warp.registers, instruction.rs1, mask), operand(instruction.rs2));
      break;
    case isa::Opcode::kWspawn: spawn_warps(pc, operand(instruction.rs1), operand(instruction.rs2)); break;
    case isa::Opcode::kSplit: {
      const isa::SplitResult result =
          warp.simt.split(lanes_with_bit0(warp.registers, instruction.rs1, mask), next);
      if (result.overflow) {
        mistake_ = stack_overflow();
        return false;
      }
      if (instruction.rd == isa::kNoRegister) break;
      std::uint32_t* row = warp.registers.row(instruction.rd);
      for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
        row[__builtin_ctz(rest)] = result.diverged ? 1 : 0;
      break;
    }
    case isa::Opcode::kJoin: {
      const isa::JoinResult result = warp.simt.join((operand(instruction.rs1) & 1) != 0);
      if (result.underflow) {
        mistake_ = join_without_split();
        return false;
      }
      if (result.jumps) next = result.pc;
      break;
    }
    case isa::Opcode::kBar: execute_barrier(pc, operand(instruction.rs1), operand(instruction.rs2)); break;
    default: break;
  }
  if (warp.simt.mask() == 0) end_warp(pc);
  return true;
}

void FastCore::end_warp(std::uint32_t pc) {
  active_ &= ~(1u << w_);
  leave_ = true;
  if (probe_ != nullptr) probe_->on_warp_end(time_.now, origin(pc));
  if (warp_->simt.depth() != 0 && warned_.insert(pc).second) report(mask_not_restored(), isa::decode(0), pc);
  warp_->simt.clear_stack();
}

void FastCore::spawn_warps(std::uint32_t pc, std::uint32_t count, std::uint32_t start) {
  for (unsigned i = 0; i < std::min<std::uint64_t>(count, params_.warps); ++i) {
    if (i == w_) continue;
    FastWarp& target = warps_[i];
    target.pc = start;
    target.machine.restart();
    target.simt.tmc(target.simt.mask() | 1);
    if (probe_ != nullptr) probe_->on_warp_start(time_.now, origin(pc), identity_.core, i, start);
    active_ |= 1u << i;
  }
}

void FastCore::execute_barrier(std::uint32_t pc, std::uint32_t id, std::uint32_t count) {
  id %= static_cast<std::uint32_t>(params_.barriers);
  at_barrier_ |= 1u << w_;
  leave_ = true;
  warp_->barrier_id = id;
  warp_->barrier_count = count;
  if (probe_ != nullptr) probe_->on_barrier_arrival(time_.now, origin(pc), id, count);
  if (++barrier_arrivals_[id] == count) barrier->arrive(identity_.core_in_cluster, id);
}

}  // namespace spica::simt_core::fast
