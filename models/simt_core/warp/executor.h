// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_set>

#include "models/base/types.h"
#include "models/isa/execute.h"
#include "models/protocol/payload/address_map.h"
#include "models/protocol/ports/accelerator_if.h"
#include "models/protocol/ports/fault_if.h"
#include "models/protocol/ports/marker_if.h"
#include "models/simt_core/warp/checks.h"
#include "models/simt_core/warp/core_state.h"
#include "models/simt_core/warp/csr_file.h"
#include "models/simt_core/warp/lints.h"
#include "models/simt_core/warp/stack_guard.h"

namespace spica::simt_core {

/// The effect of an instruction beyond the registers of its warp.
struct Effect {
  enum class Kind : std::uint8_t {
    kNext,     // the warp continues at the next instruction
    kJump,     // the warp continues at `pc`
    kSpawn,    // `warps` start at `pc`
    kBarrier,  // the warp waits; `complete`: of this core, all have arrived
    kTrap,     // it has no effect; the warp continues in its trap handler at `pc`
    kFault,    // it has no effect; the fault is reported and the core stopped
  };
  Kind kind = Kind::kNext;
  bool complete = false;
  bool ended = false;  // the warp has no lane left
  std::uint32_t pc = 0;
  std::uint32_t warps = 0;
  std::uint32_t barriers = 0;  // that the end of the warp completes on this core, one bit each

  /// True if the instruction took effect.
  bool done() const { return kind < Kind::kTrap; }
};

/// Executes instructions of a core's warps, one at a time. All rules of instructions, traps and reports are here, for
/// both modes; timing is up to the caller.
///
/// Does     arithmetic, branches, control and status registers, warp control, ecall, ebreak, mret, wfi
/// Refuses  errors, before they have any effect: the warp's trap handler gets them, or the fault is reported
/// Omits    loads, stores and tensor instructions: they are checked here and executed elsewhere
/// Source   vortex core/VX_wctl_unit.sv, core/VX_csr_data.sv; RISC-V unprivileged and privileged specifications
class Executor {
 public:
  /// An instruction of a warp, and the time of its execution.
  struct At {
    unsigned warp;
    std::uint32_t pc;
    std::uint32_t mask;  // lanes that execute it
    base::Cycle now;
  };

  /// `lane_instructions`: of the core, since reset; kept by the caller.
  Executor(const Params& params, const CoreIdentity& identity, const protocol::AddressMap& map,
           CoreState& state, const PerformanceCounters& performance, const std::uint64_t& lane_instructions)
      : params_(params),
        identity_(identity),
        map_(map),
        state_(state),
        performance_(performance),
        lane_instructions_(lane_instructions) {}
  /// `accelerator`, `marker`: nullptr where there is none.
  void connect(protocol::FaultIf& fault, protocol::AcceleratorIf* accelerator, protocol::MarkerIf* marker) {
    fault_ = &fault;
    accelerator_ = accelerator;
    marker_ = marker;
  }

  Effect execute(const At& at, const isa::Instruction& instruction) {
    switch (instruction.unit) {
      case isa::Unit::kBranch: return execute_branch(at, instruction);
      case isa::Unit::kCsr: return execute_csr(at, instruction);
      case isa::Unit::kWarpControl: return execute_control(at, instruction);
      case isa::Unit::kSystem: return execute_system(at, instruction);
      default: break;
    }
    WarpState& warp = state_[at.warp];
    if (!isa::rounding_is_valid(instruction, warp.floating))
      return refuse(reserved_rounding(), at, instruction);
    if (__builtin_expect(may_overflow(instruction), 0)) return move_stack(at, instruction);
    isa::execute(instruction, at.pc, warp.registers, at.mask, warp.floating);
    if (protocol::is_marker(instruction.word)) mark(at, instruction);
    return {};
  }

  /// True for a register-to-register instruction that cannot be refused, moves no stack pointer and is not a marker.
  static bool is_plain(const isa::Instruction& instruction) {
    return instruction.unit != isa::Unit::kBranch && instruction.unit <= isa::Unit::kFpuSqrt &&
           instruction.access_bytes == 0 && instruction.unit != isa::Unit::kFence &&
           instruction.rounding <= isa::kRmm && instruction.rd != kStackPointer &&
           !protocol::is_marker(instruction.word);
  }
  void execute_plain(const At& at, const isa::Instruction& instruction) {
    WarpState& warp = state_[at.warp];
    isa::execute(instruction, at.pc, warp.registers, at.mask, warp.floating);
  }

  /// Sets the stacks of the program; overflows are errors from now on.
  void guard_stacks(const StackGuard& guard) { stacks_ = guard; }
  /// The end of a lane's stack; 0 if unknown.
  std::uint32_t stack_begin(unsigned warp, unsigned lane) const {
    return stacks_.known() ? stacks_.begin(first_hart(params_, identity_.core, warp) + lane) : 0;
  }
  /// True if the instruction would be refused because a lane's stack pointer leaves its stack.
  bool overflows_stack(const At& at, const isa::Instruction& instruction) {
    return may_overflow(instruction) && would_overflow(at, instruction);
  }

  /// How the instruction that is about to execute treats lanes that wait elsewhere; its operands are available.
  isa::Meeting meeting(const At& at, const isa::Instruction& instruction) const;

  /// True if the instruction may let other warps continue, or lets them observe that they may: a barrier, wspawn, the
  /// end of the warp.
  bool releases_others(const At& at, const isa::Instruction& instruction) const;

  /// Checks a CSR access, which executes later. Not done(): it is illegal, and the program has a trap handler.
  Effect check_csr(const At& at, const isa::Instruction& instruction);
  /// Call before an instruction of a warp whose MachineMode watches_floats(). Not done(): mstatus.FS is off.
  Effect check_floats(const At& at, const isa::Instruction& instruction) {
    if (!instruction.uses_floats || state_[at.warp].machine.use_floats(false)) return {};
    return refuse(floats_are_off(), at, instruction);
  }
  /// Call after such an instruction.
  void record_floats(unsigned warp, const isa::Instruction& instruction) {
    if (instruction.changes_floats) state_[warp].machine.use_floats(true);
  }

  /// The instruction has no effect: the warp's own handler takes it, or the error is reported.
  Effect refuse(const GuestError& error, const At& at, const isa::Instruction& instruction);
  /// Reports an error that a target found after the instruction completed.
  void refuse_late(const GuestError& error, const At& at) { refuse(error, at, kNoInstruction); }
  /// A warning, once for each place in the program.
  void warn(Lint lint, const At& at, const isa::Instruction& instruction) {
    if (warned_.insert(at.pc).second)
      report(describe(lint, {instruction, at.pc, state_[at.warp].registers, at.mask}, params_,
                      state_.active(), at.warp),
             at, instruction);
  }
  /// Warns about a tensor instruction whose word has another meaning on other tensor cores, or that has inactive lanes.
  void warn_tensor(const At& at, const isa::Instruction& instruction);

  /// The control and status registers of a warp, as a view that const cores may return.
  CsrFile csr_file(unsigned warp, base::Cycle now) {
    WarpState& state = state_[warp];
    return {params_,    identity_,          performance_,     accelerator_,
            now,        lane_instructions_, counter_offsets_, state_.active(),
            warp,       state.mask(),       state.floating,   state.machine,
            state.group};
  }

  /// Not saved: stacks_, which belong to the program.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(counter_offsets_, warned_);
  }
  /// minstret continues from `count`.
  void set_lane_instructions(std::uint64_t count) {
    counter_offsets_.lane_instructions += count - lane_instructions_;
  }
  void reset() {
    counter_offsets_ = {};
    warned_.clear();
  }

 private:
  Effect execute_branch(const At& at, const isa::Instruction& instruction);
  Effect part(const At& at, const isa::Instruction& instruction, const Flow& flow);
  Effect execute_csr(const At& at, const isa::Instruction& instruction);
  std::uint32_t agreed(const At& at, const isa::Instruction& instruction);
  Effect execute_control(const At& issued, const isa::Instruction& instruction);
  Effect execute_system(const At& at, const isa::Instruction& instruction);
  bool may_overflow(const isa::Instruction& instruction) const {
    return instruction.rd == kStackPointer && stacks_.known() && moves_stack(instruction);
  }
  bool would_overflow(const At& at, const isa::Instruction& instruction);
  Effect move_stack(const At& at, const isa::Instruction& instruction);
  bool split(const At& at, const isa::Instruction& instruction);
  void mark(const At& at, const isa::Instruction& instruction);
  void report(const GuestError& error, const At& at, const isa::Instruction& instruction);

  static const isa::Instruction kNoInstruction;

  const Params& params_;
  const CoreIdentity& identity_;
  const protocol::AddressMap& map_;
  CoreState& state_;
  const PerformanceCounters& performance_;
  const std::uint64_t& lane_instructions_;
  protocol::FaultIf* fault_ = nullptr;
  protocol::AcceleratorIf* accelerator_ = nullptr;
  protocol::MarkerIf* marker_ = nullptr;
  StackGuard stacks_;
  CounterOffsets counter_offsets_;
  std::unordered_set<std::uint32_t> warned_;  // pcs already warned about
};

}  // namespace spica::simt_core
