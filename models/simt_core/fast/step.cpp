// SPDX-License-Identifier: Apache-2.0
// One instruction of any kind, with all observers notified.
#include <algorithm>
#include <cstring>

#include "models/isa/csr.h"
#include "models/isa/execute.h"
#include "models/simt_core/fast/fast_core.h"

namespace spica::simt_core::fast {

/// False: the loop that called returns.
bool FastCore::step() {
  account();
  if (code_->full()) {  // the next slice begins with an empty one
    slice_.leave = true;
    return false;
  }
  Op& op = const_cast<Op&>(*slice_.op);
  const std::uint32_t pc = CodeCache::pc_of(&op);
  if (op.code == kUndecoded) {
    code_->decode(op);
    return true;
  }
  if (op.code == kPageEnd) {
    slice_.go_to(code_->at(pc));
    slice_.over = slice_.budget <= 0;  // code without jumps ends at some point, too
    return !slice_.over;
  }
  const isa::Instruction& instruction = *op.instruction;
  if (gate_ != nullptr) {
    const protocol::Origin from = origin(pc);
    if (!gate_->may_issue({time_.now, from, instruction, slice_.warp->registers})) {
      if (time_.stop) return false;
      slice_.leave = true;
      time_.polled = true;
      return false;
    }
  }
  if (slice_.warp->flow->parked() && !continues(pc, instruction)) return false;
  const std::uint32_t mask = slice_.mask;
  const Executed executed = execute(instruction, pc);
  // A trap takes its turn like an instruction: a handler that traps at once must not keep the slice forever.
  if (executed.done || !state_.halted()) {
    slice_.use_one();
    ++time_.now;
  }
  if (executed.done) {
    ++counts_.warp_instructions;
    counts_.lane_instructions += slice_.active;  // of before
    if (probe_ != nullptr)
      probe_->on_commit(time_.now,
                        {protocol::Origin::Unit::kCore, static_cast<std::uint8_t>(slice_.index),
                         static_cast<std::uint16_t>(identity_.core), pc, mask},
                        slice_.warp->registers);
  }
  slice_.go_to(executed.next == pc + 4 ? &op + 1 : code_->at(executed.next));
  if (slice_.warp->mask() != mask) slice_.set_mask(slice_.warp->mask());
  slice_.leave |= time_.polled;
  slice_.over = executed.jumped && slice_.budget <= 0;
  return !slice_.leave && !time_.stop && !slice_.over && !slice_.warp->flow->parked();
}

/// Selects the lanes at `pc` if lanes wait at different places.
bool FastCore::continues(std::uint32_t pc, const isa::Instruction& instruction) {
  const std::uint32_t next = slice_.warp->flow->choose(pc, executor_.meeting(at(pc), instruction));
  slice_.set_mask(slice_.warp->mask());
  if (next != pc) slice_.go_to(code_->at(next));
  return next == pc;
}

void FastCore::notify_issue(const isa::Instruction& instruction, std::uint32_t pc,
                            const protocol::FragmentAccess* fragment) {
  const protocol::Origin from = origin(pc);
  probe_->on_issue({time_.now, from, instruction, slice_.warp->registers, fragment});
}

/// While a warp watches for floats, instructions that use them go to step().
void FastCore::record_float_watch() {
  const bool watches = slice_.warp->machine.watches_floats();
  if (watches == ((watched_ >> slice_.index & 1) != 0)) return;
  watched_ ^= 1u << slice_.index;
  code_->watch_floats(watches);
}

FastCore::Executed FastCore::execute(const isa::Instruction& instruction, std::uint32_t pc) {
  const bool watched = (watched_ >> slice_.index & 1) != 0;
  if (watched)
    if (const Effect effect = executor_.check_floats(at(pc), instruction); !effect.done())
      return take_effect(effect, pc);
  const Executed executed = take_effect(execute_kind(instruction, pc), pc);
  if (watched && executed.done) executor_.record_floats(slice_.index, instruction);
  record_float_watch();
  return executed;
}

/// Executes the instruction and reports its issue.
Effect FastCore::execute_kind(const isa::Instruction& instruction, std::uint32_t pc) {
  switch (instruction.unit) {
    case isa::Unit::kLoad:
    case isa::Unit::kStore:
    case isa::Unit::kAtomic:
    case isa::Unit::kFence: return execute_memory(instruction, pc);
    case isa::Unit::kTensor: return tensor_->execute(at(pc), instruction);
    case isa::Unit::kAsync: return execute_async(instruction, pc);
    default: break;
  }
  // The effect of warp control on others is determined after it.
  const bool control = instruction.unit == isa::Unit::kWarpControl;
  if (probe_ != nullptr && control) notify_issue(instruction, pc);
  const Effect effect = executor_.execute(at(pc), instruction);
  if (probe_ != nullptr && !control && effect.done()) notify_issue(instruction, pc);
  if (instruction.unit != isa::Unit::kCsr) return effect;
  if (probe_ != nullptr && effect.done()) {
    const protocol::Origin from = origin(pc);
    probe_->on_csr({time_.now, from, instruction, slice_.warp->registers});
  }
  commands_.pass_on(identity_.core_in_cluster);
  // A warp that reads the state of other warps of the core lets them run first.
  const bool others = (state_.running() & ~(1u << slice_.index)) != 0;
  if (others && static_cast<std::uint32_t>(instruction.imm) == isa::csr::kActiveWarps)
    time_.poll(base::kNever);
  return effect;
}

FastCore::Executed FastCore::take_effect(const Effect& effect, std::uint32_t pc) {
  slice_.leave |= effect.ended;
  if (effect.ended && probe_ != nullptr) probe_->on_warp_end(time_.now, origin(pc));
  for (std::uint32_t rest = effect.barriers; rest != 0; rest &= rest - 1)
    barrier->arrive(identity_.core_in_cluster, static_cast<unsigned>(__builtin_ctz(rest)));
  switch (effect.kind) {
    case Effect::Kind::kNext: break;
    case Effect::Kind::kJump: return {true, effect.pc, effect.pc != pc + 4};
    case Effect::Kind::kSpawn:
      for (std::uint32_t rest = effect.warps; rest != 0; rest &= rest - 1) {
        const auto w = static_cast<unsigned>(__builtin_ctz(rest));
        pcs_[w] = effect.pc;
        if (probe_ != nullptr) probe_->on_warp_start(time_.now, origin(pc), identity_.core, w, effect.pc);
      }
      break;
    case Effect::Kind::kBarrier:
      slice_.leave = true;
      if (probe_ != nullptr)
        probe_->on_barrier_arrival(time_.now, origin(pc), slice_.warp->barrier_id,
                                   slice_.warp->barrier_count);
      if (effect.complete) barrier->arrive(identity_.core_in_cluster, slice_.warp->barrier_id);
      break;
    case Effect::Kind::kTrap:
      ++counts_.traps;
      if (probe_ != nullptr) probe_->on_trap(time_.now, origin(pc));
      return {false, effect.pc, true};
    case Effect::Kind::kFault: slice_.leave = true; return {false, pc, true};
  }
  return {true, pc + 4, false};
}

}  // namespace spica::simt_core::fast
