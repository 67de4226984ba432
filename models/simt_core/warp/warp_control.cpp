// SPDX-License-Identifier: Apache-2.0
// Instructions that change which lanes and warps run.
#include "models/simt_core/warp/executor.h"

namespace spica::simt_core {

/// A group may change its own lanes alone; a mask with lanes that wait elsewhere needs them.
isa::Meeting Executor::meeting(const At& at, const isa::Instruction& instruction) const {
  const isa::Meeting usual = isa::meeting_of(instruction);
  if (usual != isa::Meeting::kPreferred || at.mask == 0) return usual;
  const WarpState& warp = state_[at.warp];
  const std::uint32_t lanes = instruction.rs1 == isa::kNoRegister
                                  ? 0u
                                  : warp.registers.row(instruction.rs1)[isa::scalar_lane(at.mask)];
  return warp.flow->names_parked(lanes) ? isa::Meeting::kRequired : usual;
}

/// The lanes that have the operand which the warp follows; where lanes can be parked, the others execute the
/// instruction next.
std::uint32_t Executor::agreed(const At& at, const isa::Instruction& instruction) {
  WarpState& warp = state_[at.warp];
  const bool of_group = isa::meeting_of(instruction) == isa::Meeting::kPreferred;
  if (!of_group || !warp.flow->parks() || instruction.rs1 == isa::kNoRegister) return at.mask;
  const std::uint32_t* values = warp.registers.row(instruction.rs1);
  const std::uint32_t followed = values[isa::scalar_lane(at.mask)];
  std::uint32_t others = 0;
  for (std::uint32_t rest = at.mask; rest != 0; rest &= rest - 1)
    if (values[__builtin_ctz(rest)] != followed) others |= rest & -rest;
  if (others != 0) warp.flow->park(others, at.pc);
  return at.mask & ~others;
}

Effect Executor::execute_control(const At& issued, const isa::Instruction& instruction) {
  if (state_[issued.warp].flow->ignores(instruction.opcode)) return {};
  const At at{issued.warp, issued.pc, agreed(issued, instruction), issued.now};
  WarpState& warp = state_[at.warp];
  const unsigned lane = isa::scalar_lane(at.mask);
  const auto operand = [&](std::uint8_t row) {
    return row == isa::kNoRegister ? 0u : warp.registers.row(row)[lane];
  };
  const Lint odd = odd_control({instruction, at.pc, warp.registers, at.mask}, params_, state_.active(),
                               at.warp, warp.group);
  if (odd != Lint::kNone) warn(odd, at, instruction);
  if (warp.flow->parked() && meeting(at, instruction) == isa::Meeting::kRequired)
    return refuse(lanes_wait_elsewhere(), at, instruction);
  Effect effect;
  switch (instruction.opcode) {
    case isa::Opcode::kTmc: warp.flow->tmc(operand(instruction.rs1)); break;
    case isa::Opcode::kPred:
      warp.flow->pred(lanes_with_bit0(warp.registers, instruction.rs1, at.mask), operand(instruction.rs2));
      break;
    case isa::Opcode::kWspawn: {
      if (warp.group.exists()) return refuse(spawn_in_group(), at, instruction);
      const std::uint32_t warps = state_.spawn(at.warp, operand(instruction.rs1));
      effect = {Effect::Kind::kSpawn, false, false, operand(instruction.rs2), warps};
      break;
    }
    case isa::Opcode::kSplit:
      if (!split(at, instruction)) return refuse(stack_overflow(), at, instruction);
      break;
    case isa::Opcode::kJoin: {
      const isa::JoinResult result = warp.flow->join((operand(instruction.rs1) & 1) != 0);
      if (result.underflow) return refuse(join_without_split(), at, instruction);
      if (result.jumps) effect = {Effect::Kind::kJump, false, false, result.pc, 0};
      break;
    }
    case isa::Opcode::kBar:
      effect.kind = Effect::Kind::kBarrier;
      effect.complete = state_.arrive(at.warp, operand(instruction.rs1), operand(instruction.rs2), at.pc);
      break;
    default: break;
  }
  if (warp.mask() != 0) return effect;
  if (warp.flow->parked())  // its other lanes have not ended
    return {Effect::Kind::kJump, false, false, warp.flow->choose(at.pc, isa::Meeting::kNone), 0};
  effect.ended = true;
  effect.barriers = state_.leave_group(at.warp);
  if (!state_.end(at.warp) && warned_.insert(at.pc).second) report(mask_not_restored(), at, kNoInstruction);
  return effect;
}

bool Executor::releases_others(const At& at, const isa::Instruction& instruction) const {
  const WarpState& warp = state_[at.warp];
  const auto operand = [&](std::uint8_t row) {
    return row == isa::kNoRegister ? 0u : warp.registers.row(row)[isa::scalar_lane(at.mask)];
  };
  const std::uint32_t all = ~std::uint32_t{0} >> (32 - params_.lanes);
  switch (instruction.opcode) {
    case isa::Opcode::kBar:
    case isa::Opcode::kWspawn: return true;
    case isa::Opcode::kTmc: return (operand(instruction.rs1) & all) == 0;
    case isa::Opcode::kPred:
      return !warp.flow->ignores(instruction.opcode) &&
             lanes_with_bit0(warp.registers, instruction.rs1, at.mask) == 0 &&
             (operand(instruction.rs2) & all) == 0;
    default: return false;
  }
}

/// False: the stack is full, and nothing has changed.
bool Executor::split(const At& at, const isa::Instruction& instruction) {
  WarpState& warp = state_[at.warp];
  const isa::SplitResult result =
      warp.flow->split(lanes_with_bit0(warp.registers, instruction.rs1, at.mask), at.pc + 4);
  if (result.overflow) return false;
  if (instruction.rd == isa::kNoRegister) return true;
  std::uint32_t* row = warp.registers.row(instruction.rd);
  for (std::uint32_t rest = at.mask; rest != 0; rest &= rest - 1)
    row[__builtin_ctz(rest)] = result.diverged ? 1 : 0;
  return true;
}

}  // namespace spica::simt_core
