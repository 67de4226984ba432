// SPDX-License-Identifier: Apache-2.0
// One instruction of any kind, with everybody told who watches.
#include <algorithm>
#include <cstring>

#include "models/isa/execute.h"
#include "models/simt_core/fast/fast_core.h"
#include "models/simt_core/tensor_sequencer.h"

namespace spica::simt_core::fast {

/// False: the loop that called returns.
bool FastCore::step() {
  account();
  if (code_->full()) {  // the next slice begins with an empty one
    leave_ = true;
    return false;
  }
  Op& op = const_cast<Op&>(*slice_.op);
  const std::uint32_t pc = CodeCache::pc_of(&op);
  if (op.code == kUndecoded) {
    code_->decode(op);
    return true;
  }
  if (op.code == kPageEnd) {
    slice_.op = slice_.start = code_->at(pc);
    slice_.over = slice_.budget <= 0;  // code without jumps, too, is at its end some time
    return !slice_.over;
  }
  const isa::Instruction& instruction = *op.instruction;
  if (gate_ != nullptr) {
    const protocol::Origin from = origin(pc);
    if (!gate_->may_issue({time_.now, from, instruction, warp_->registers})) {
      leave_ = true;
      time_.polled = true;
      return false;
    }
  }
  const std::uint32_t mask = slice_.mask;
  const Executed executed = execute(instruction, pc);
  // A trap takes its turn like an instruction: a handler that traps at once must not keep the slice for ever.
  if (executed.done || !halted_) {
    accounted_ = --slice_.budget;
    ++time_.now;
  }
  if (executed.done) {
    ++warp_instructions_;
    lane_instructions_ += lane_count_;  // of before
    if (probe_ != nullptr)
      probe_->on_commit(time_.now,
                        {protocol::Origin::Unit::kCore, static_cast<std::uint8_t>(w_),
                         static_cast<std::uint16_t>(identity_.core), pc, mask},
                        warp_->registers);
  }
  slice_.op = slice_.start = executed.next == pc + 4 ? &op + 1 : code_->at(executed.next);
  if (warp_->simt.mask() != mask) set_mask(warp_->simt.mask());
  leave_ |= time_.stop || time_.polled;
  slice_.over = executed.jumped && slice_.budget <= 0;
  return !leave_ && !slice_.over;
}

void FastCore::tell_issue(const isa::Instruction& instruction, std::uint32_t pc) {
  const protocol::Origin from = origin(pc);
  probe_->on_issue({time_.now, from, instruction, warp_->registers});
}

/// While a warp watches, instructions that use floats come to step().
void FastCore::note_float_watch() {
  const bool watches = warp_->machine.watches_floats();
  if (watches == warp_->watched) return;
  warp_->watched = watches;
  code_->watch_floats(watches);
}

FastCore::Executed FastCore::execute(const isa::Instruction& instruction, std::uint32_t pc) {
  std::uint32_t next = pc + 4;
  bool done = true;
  bool told = false;  // of the issue
  const bool watched = warp_->watched && instruction.uses_floats;
  if (watched && !warp_->machine.use_floats(false))
    return {false, trap(floats_are_off(), instruction, pc), true};
  switch (instruction.unit) {
    case isa::Unit::kLoad:
    case isa::Unit::kStore:
    case isa::Unit::kAtomic:
    case isa::Unit::kFence:
      done = execute_memory(instruction, pc);
      told = true;
      break;
    case isa::Unit::kBranch: done = execute_branch(instruction, pc, next); break;
    case isa::Unit::kCsr:
      done = execute_csr(instruction, pc);
      told = true;
      break;
    case isa::Unit::kWarpControl:
      if (probe_ != nullptr) tell_issue(instruction, pc);
      told = true;
      done = execute_control(instruction, pc, next);
      break;
    case isa::Unit::kSystem: done = execute_system(instruction, pc, next); break;
    case isa::Unit::kTensor:
      done = execute_tensor(instruction, pc);
      told = true;
      break;
    default:
      if (!isa::rounding_is_valid(instruction, warp_->floating)) {
        mistake_ = reserved_rounding();
        done = false;
        break;
      }
      if (stacks_.known() && moves_stack(instruction)) {
        done = move_stack(instruction, pc);
        break;
      }
      isa::execute(instruction, pc, warp_->registers, slice_.mask, warp_->floating);
      if (probe_ != nullptr) tell_issue(instruction, pc);
      told = true;
      if (instruction.word == kMarkBegin || instruction.word == kMarkEnd)
        marker->marked(instruction.word == kMarkBegin ? protocol::Marker::kBegin : protocol::Marker::kEnd);
  }
  if (!done) {
    if (halted_) return {false, pc, true};  // reported already
    return {false, trap(mistake_, instruction, pc), true};
  }
  if (watched && instruction.changes_floats) {
    warp_->machine.use_floats(true);
    note_float_watch();
  }
  if (probe_ != nullptr && !told) tell_issue(instruction, pc);
  return {true, next, next != pc + 4};
}

/// Lets the warp's own handler take care of a mistake, else reports it and stops. Returns where the warp goes on.
std::uint32_t FastCore::trap(const Mistake& mistake, const isa::Instruction& instruction, std::uint32_t pc) {
  if (takes_traps(params_, warp_->machine, map_))
    if (const auto cause = cause_of(mistake.kind, instruction, warp_->machine.privilege())) {
      ++traps_;
      if (probe_ != nullptr) probe_->on_trap(time_.now, origin(pc));
      return warp_->machine.enter(*cause, pc, trap_value(mistake.kind, instruction, pc, mistake.address));
    }
  report(mistake, instruction, pc);
  return pc;
}

bool FastCore::execute_branch(const isa::Instruction& instruction, std::uint32_t pc, std::uint32_t& next) {
  const Flow flow = flow_of({instruction, pc, warp_->registers, slice_.mask});
  if (flow.follow != slice_.mask && params_.divergence != Divergence::kFollow) {
    mistake_ = divergent_branch(flow, slice_.mask, params_.divergence);
    if (params_.divergence == Divergence::kFault) return false;
    if (warned_.insert(pc).second) report(mistake_, instruction, pc);
  }
  if (flow.jumps) {
    if (flow.target % 4 != 0) {
      mistake_ = misaligned_target(flow.target);
      return false;
    }
    next = flow.target;
  }
  if (instruction.writes() != 0)
    isa::execute(instruction, pc, warp_->registers, slice_.mask, warp_->floating);
  return true;
}

/// An instruction that writes the stack pointer; it has no effect when a lane would leave its stack.
bool FastCore::move_stack(const isa::Instruction& instruction, std::uint32_t pc) {
  std::uint32_t* const row = warp_->registers.row(kStackPointer);
  std::array<std::uint32_t, isa::kMaxLanes> before, after;
  std::copy_n(row, params_.lanes, before.begin());
  isa::execute(instruction, pc, warp_->registers, slice_.mask, warp_->floating);
  const std::uint32_t lanes = stack_left(stacks_, instruction, first_hart_, slice_.mask, before.data(), row);
  if (lanes == 0) return true;
  std::copy_n(row, params_.lanes, after.begin());
  std::copy_n(before.begin(), params_.lanes, row);
  mistake_ = lane_stack_overflow(stacks_, first_hart_, lanes, before.data(), after.data());
  return false;
}

bool FastCore::execute_system(const isa::Instruction& instruction, std::uint32_t pc, std::uint32_t& next) {
  switch (instruction.opcode) {
    case isa::Opcode::kMret:
      if (!params_.machine_mode || warp_->machine.privilege() != isa::Privilege::kMachine) break;
      next = warp_->machine.leave();
      return true;
    case isa::Opcode::kWfi:
      if (!params_.machine_mode) break;
      return true;  // nothing here interrupts: a hint that may return at once
    default: break;
  }
  mistake_ = system_mistake(instruction, map_.route(pc) == protocol::Route::kGlobal, pc);
  return false;
}

bool FastCore::execute_tensor(const isa::Instruction& instruction, std::uint32_t pc) {
  const bool wmma = instruction.opcode == isa::Opcode::kWmma;
  protocol::FunctionalTensorIf* unit = tensor.size() != 0 ? tensor.operator->() : nullptr;
  if (unit == nullptr || unit->synchronous() != wmma) {
    mistake_ = no_tensor_core();
    return false;
  }
  isa::RegisterFile& registers = warp_->registers;
  if (!wmma) {
    if (instruction.opcode == isa::Opcode::kHgmma) {
      Tiles tiles;
      if (!find_tiles(instruction, registers, map_, tiles, mistake_)) return false;
      if (probe_ != nullptr) tell_issue(instruction, pc);
      unit->multiply_tiles(shared_.data + tiles.a, shared_.data + tiles.b, registers.row(isa::kFloatRow));
    } else if (probe_ != nullptr) {
      tell_issue(instruction, pc);  // hgmma_wait: everything is done already
    }
    return true;
  }
  if (isa::names_other_tensor_style(instruction) && warned_.insert(kOtherTensorCore).second)
    report(other_tensor_core(), instruction, pc);
  if (const Oddity odd = odd_tensor(slice_.mask, params_); odd != Oddity::kNone) warn(odd, instruction, pc);
  if (probe_ != nullptr) tell_issue(instruction, pc);
  TensorSequencer sequencer;
  for (unsigned pair = 0; pair < TensorSequencer::kMicroOps / 2; ++pair) {
    const auto first = sequencer.next(static_cast<unsigned>(instruction.imm));
    sequencer.advance();
    const auto second = sequencer.next(static_cast<unsigned>(instruction.imm));
    sequencer.advance();
    alignas(32) std::uint32_t c[2][8];
    std::memcpy(c[0], registers.row(first.c), sizeof c[0]);
    std::memcpy(c[1], registers.row(second.c), sizeof c[1]);
    unit->multiply_step(first.step, registers.row(first.a), registers.row(second.a), registers.row(first.b),
                        registers.row(second.b), c[0], c[1]);
    for (std::uint32_t rest = slice_.mask; rest != 0; rest &= rest - 1) {
      const int lane = __builtin_ctz(rest);
      registers.row(first.c)[lane] = c[0][lane];
      registers.row(second.c)[lane] = c[1][lane];
    }
  }
  return true;
}

}  // namespace spica::simt_core::fast
