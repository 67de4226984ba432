// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/warp/executor.h"

#include <algorithm>
#include <array>

namespace spica::simt_core {

const isa::Instruction Executor::kNoInstruction = isa::decode(0);

Effect Executor::execute_branch(const At& at, const isa::Instruction& instruction) {
  WarpState& warp = state_[at.warp];
  const Flow flow = flow_of({instruction, at.pc, warp.registers, at.mask});
  if (flow.follow != at.mask && warp.flow->parks()) return part(at, instruction, flow);
  if (flow.follow != at.mask && params_.divergence != Divergence::kFollow) {
    const bool stop = params_.divergence == Divergence::kFault;
    if (stop) return refuse(divergent_branch(flow, at.mask, params_.divergence), at, instruction);
    if (warned_.insert(at.pc).second)
      report(divergent_branch(flow, at.mask, params_.divergence), at, instruction);
  }
  if (flow.jumps && flow.target % 4 != 0) return refuse(misaligned_target(flow.target), at, instruction);
  if (instruction.writes() != 0) isa::execute(instruction, at.pc, warp.registers, at.mask, warp.floating);
  if (!flow.jumps) return {};
  return {Effect::Kind::kJump, false, false, flow.target, 0};
}

/// Lanes disagree, and the warp's control flow has places for those that do not follow: one for each target.
Effect Executor::part(const At& at, const isa::Instruction& instruction, const Flow& flow) {
  WarpState& warp = state_[at.warp];
  const Ready ready{instruction, at.pc, warp.registers, at.mask};
  std::array<std::uint32_t, isa::kMaxLanes> targets{};
  for (std::uint32_t rest = at.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    targets[lane] = lane_target(ready, lane);
    if (targets[lane] % 4 != 0) return refuse(misaligned_target(targets[lane]), at, instruction);
  }
  if (instruction.writes() != 0) isa::execute(instruction, at.pc, warp.registers, at.mask, warp.floating);
  for (std::uint32_t rest = at.mask & ~flow.follow; rest != 0;) {
    const std::uint32_t target = targets[static_cast<unsigned>(__builtin_ctz(rest))];
    std::uint32_t group = 0;
    for (std::uint32_t others = rest; others != 0; others &= others - 1)
      if (targets[static_cast<unsigned>(__builtin_ctz(others))] == target) group |= others & -others;
    warp.flow->park(group, target);
    rest &= ~group;
  }
  return {Effect::Kind::kJump, false, false, flow.jumps ? flow.target : at.pc + 4, 0};
}

Effect Executor::execute_csr(const At& at, const isa::Instruction& instruction) {
  const Effect checked = check_csr(at, instruction);
  if (!checked.done()) return checked;
  WarpState& warp = state_[at.warp];
  const Lint odd = odd_csr({instruction, at.pc, warp.registers, at.mask}, params_, warp.machine, warp.group);
  if (odd != Lint::kNone && !takes_traps(params_, warp.machine, map_)) warn(odd, at, instruction);
  const protocol::Origin origin{protocol::Origin::Unit::kCore, static_cast<std::uint8_t>(at.warp),
                                static_cast<std::uint16_t>(identity_.core), at.pc, at.mask};
  CsrFile file = csr_file(at.warp, at.now);
  file.mask = at.mask;  // lanes of the warp may have parted since it issued
  file.execute(instruction, warp.registers, origin);
  return checked;
}

Effect Executor::check_csr(const At& at, const isa::Instruction& instruction) {
  if (is_unimp(instruction)) return refuse(stopped_itself(), at, instruction);
  if (csr_file(at.warp, at.now).allows(instruction)) return {};
  return refuse(refused_csr(instruction, state_[at.warp].machine), at, instruction);
}

Effect Executor::execute_system(const At& at, const isa::Instruction& instruction) {
  isa::MachineMode& machine = state_[at.warp].machine;
  if (params_.machine_mode) {
    if (instruction.opcode == isa::Opcode::kMret && machine.privilege() == isa::Privilege::kMachine)
      return {Effect::Kind::kJump, false, false, machine.leave(), 0};
    // Nothing here interrupts: a hint that may return at once.
    if (instruction.opcode == isa::Opcode::kWfi) return {};
  }
  return refuse(system_error(instruction, map_.route(at.pc) == protocol::Route::kGlobal, at.pc), at,
                instruction);
}

namespace {

using Row = std::array<std::uint32_t, isa::kMaxLanes>;

/// Executes an instruction that writes the stack pointer; lanes that leave their stack are returned, and then
/// nothing has changed. `before`, `after`: the stack pointers.
std::uint32_t try_to_move(WarpState& warp, const StackGuard& stacks, std::uint32_t first_hart,
                          const Executor::At& at, const isa::Instruction& instruction, Row& before,
                          Row& after) {
  const unsigned lanes = warp.registers.lanes();
  std::uint32_t* const row = warp.registers.row(kStackPointer);
  std::copy_n(row, lanes, before.begin());
  isa::execute(instruction, at.pc, warp.registers, at.mask, warp.floating);
  std::copy_n(row, lanes, after.begin());
  const std::uint32_t left =
      stack_left(stacks, instruction, first_hart, at.mask, before.data(), after.data());
  if (left != 0) std::copy_n(before.begin(), lanes, row);
  return left;
}

}  // namespace

bool Executor::would_overflow(const At& at, const isa::Instruction& instruction) {
  Row before, after;
  WarpState& warp = state_[at.warp];
  if (try_to_move(warp, stacks_, first_hart(params_, identity_.core, at.warp), at, instruction, before,
                  after) != 0)
    return true;
  std::copy_n(before.begin(), warp.registers.lanes(), warp.registers.row(kStackPointer));
  return false;
}

Effect Executor::move_stack(const At& at, const isa::Instruction& instruction) {
  Row before, after;
  const std::uint32_t left = try_to_move(
      state_[at.warp], stacks_, first_hart(params_, identity_.core, at.warp), at, instruction, before, after);
  if (left == 0) return {};
  return refuse(lane_stack_overflow(stacks_, first_hart(params_, identity_.core, at.warp), left,
                                    before.data(), after.data()),
                at, instruction);
}

namespace {
unsigned first_lane(std::uint32_t mask) { return static_cast<unsigned>(__builtin_ctz(mask)); }
}  // namespace

/// Of a mark of units, the register has its value already.
void Executor::mark(const At& at, const isa::Instruction& instruction) {
  if (marker_ == nullptr) return;
  if (!protocol::marks_units(instruction.word)) {
    marker_->marked(instruction.word == protocol::kMarkBegin ? protocol::Marker::kBegin
                                                             : protocol::Marker::kEnd);
    return;
  }
  using Kind = protocol::UnitMark::Kind;
  const Kind kind = instruction.opcode == isa::Opcode::kSlli ? Kind::kUnit : Kind::kLoop;
  std::uint32_t* const row = state_[at.warp].registers.row(instruction.rd);
  const std::uint32_t value = row[first_lane(at.mask)];
  const std::uint32_t change = marker_->marked_unit({identity_.core, at.warp, kind, value}) - value;
  if (change == 0) return;
  for (std::uint32_t left = at.mask; left != 0; left &= left - 1) row[first_lane(left)] += change;
}

void Executor::warn_tensor(const At& at, const isa::Instruction& instruction) {
  if (isa::names_other_tensor_style(instruction) && warned_.insert(kOtherTensorCore).second)
    report(other_tensor_core(), at, instruction);
  if (const Lint odd = odd_tensor(at.mask, params_); odd != Lint::kNone) warn(odd, at, instruction);
}

Effect Executor::refuse(const GuestError& error, const At& at, const isa::Instruction& instruction) {
  isa::MachineMode& machine = state_[at.warp].machine;
  if (takes_traps(params_, machine, map_))
    if (const auto cause = cause_of(error.kind, instruction, machine.privilege()))
      return {Effect::Kind::kTrap, false, false,
              machine.enter(*cause, at.pc, trap_value(error.kind, instruction, at.pc, error.address)), 0};
  GuestError fault = error;
  fault.detail += why_no_trap(params_, machine, map_);
  state_.halt(at.warp);
  report(fault, at, instruction);
  return {Effect::Kind::kFault, false, false, at.pc, 0};
}

void Executor::report(const GuestError& error, const At& at, const isa::Instruction& instruction) {
  protocol::GuestFault fault;
  fault.kind = error.kind;
  fault.severity = error.severity;
  fault.cycle = at.now;
  fault.origin = {protocol::Origin::Unit::kCore, static_cast<std::uint8_t>(at.warp),
                  static_cast<std::uint16_t>(identity_.core), at.pc,
                  error.lanes != 0 ? error.lanes : state_[at.warp].mask()};
  fault.instruction = instruction.word;
  fault.has_address = error.has_address;
  fault.address = error.address;
  fault.detail = error.detail;
  fault_->report(fault);
}

}  // namespace spica::simt_core
