// SPDX-License-Identifier: Apache-2.0
// Control and status registers of a core (facts 3). What a number means and which are read-only is in
// models/isa/csr.h; the values that live in a core are here.
#include "models/isa/csr.h"
#include "models/simt_core/simt_core.h"

namespace spica::simt_core {

/// False: the program has a trap handler and the access is illegal. Without a handler every access is
/// good, as in the published core.
bool SimtCore::execute_csr(unsigned w, const Fetched& fetched) {
  Warp& warp = warps_[w];
  const isa::Instruction& instruction = *fetched.instruction;
  const std::uint32_t pc = fetched.pc;
  const std::uint32_t mask = warp.simt.mask();
  const auto number = static_cast<std::uint32_t>(instruction.imm);
  if (params_.machine_mode && machine_[w].handler_installed() &&
      !machine_[w].allows(number, isa::csr_writes(instruction))) {
    report(protocol::FaultKind::kIllegalInstruction, protocol::Severity::kFault, w, fetched,
           "the control and status register does not exist, is read-only or above the warp's privilege");
    return false;
  }
  std::uint32_t old_values[isa::kMaxLanes];
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    old_values[lane] = read_csr(w, number, lane);
  }
  const auto write_from = [&](unsigned lane) {
    const std::uint32_t operand =
        instruction.rs1 == isa::kNoRegister ? 0 : warp.registers.row(instruction.rs1)[lane];
    const isa::CsrOperation operation =
        isa::csr_operation(instruction, read_csr(w, number, lane), operand);
    if (operation.writes) write_csr(w, number, operation.value, pc);
  };
  if (params_.machine_mode && machine_[w].read(number).has_value()) {
    write_from(isa::scalar_lane(mask));  // like every scalar operand: handlers run inside splits
  } else {
    // The published registers: one write per packet of the special-function unit; its operand is the
    // packet's first lane, whether that lane is active or not.
    const auto width = static_cast<unsigned>(params_.sfu_lanes);
    for (unsigned first = 0; first < params_.lanes; first += width)
      if ((mask >> first & ((std::uint64_t{1} << width) - 1)) != 0) write_from(first);
  }
  if (instruction.rd == isa::kNoRegister) return true;
  std::uint32_t* row = warp.registers.row(instruction.rd);
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    row[lane] = old_values[lane];
  }
  return true;
}

std::uint32_t SimtCore::read_csr(unsigned w, std::uint32_t number, unsigned lane) const {
  const Warp& warp = warps_[w];
  const auto warps = static_cast<std::uint32_t>(params_.warps);
  const auto lanes = static_cast<std::uint32_t>(params_.lanes);
  switch (number) {
    case isa::csr::kFflags: return warp.floating.fflags;
    case isa::csr::kFrm: return warp.floating.frm;
    case isa::csr::kFcsr: return (std::uint32_t{warp.floating.frm} << 5) | warp.floating.fflags;
    case isa::csr::kMisa: return isa::csr::kMisaValue;
    case isa::csr::kAccelerator: return accelerator.size() != 0 ? accelerator->busy() : 0;
    case isa::csr::kMcycle: return static_cast<std::uint32_t>(now());
    case isa::csr::kMcycleHigh: return static_cast<std::uint32_t>(now() >> 32);
    case isa::csr::kMinstret: return static_cast<std::uint32_t>(committed_threads_);
    case isa::csr::kMinstretHigh: return static_cast<std::uint32_t>(committed_threads_ >> 32);
    case isa::csr::kLaneId: return lane;
    case isa::csr::kWarpId: return w;
    case isa::csr::kCoreId: return identity_.core;
    case isa::csr::kActiveWarps: return active_;
    case isa::csr::kThreadMask: return warp.simt.mask();
    case isa::csr::kHartId: return (identity_.core * warps + w) * lanes + lane;
    case isa::csr::kLanes: return lanes;
    case isa::csr::kWarps: return warps;
    case isa::csr::kCores: return identity_.cores;
    default: break;
  }
  if (const std::uint32_t low = number & ~isa::csr::kHighHalf;
      low >= isa::csr::kMhpmcounter3 && low < isa::csr::kMcycle + 32) {
    const std::uint64_t value = performance_.read(static_cast<unsigned>(params_.mpm_class), low);
    return static_cast<std::uint32_t>(number == low ? value : value >> 32);
  }
  if (!params_.machine_mode) return 0;  // facts 3: all others read as 0
  switch (number) {
    case isa::csr::kCycle:
    case isa::csr::kTime: return read_csr(w, isa::csr::kMcycle, lane);
    case isa::csr::kCycleHigh:
    case isa::csr::kTimeHigh: return read_csr(w, isa::csr::kMcycleHigh, lane);
    case isa::csr::kInstret: return read_csr(w, isa::csr::kMinstret, lane);
    case isa::csr::kInstretHigh: return read_csr(w, isa::csr::kMinstretHigh, lane);
    default: return machine_[w].read(number).value_or(0);
  }
}

void SimtCore::write_csr(unsigned w, std::uint32_t number, std::uint32_t value, std::uint32_t pc) {
  isa::FloatState& floating = warps_[w].floating;
  switch (number) {
    case isa::csr::kFflags: floating.fflags = value & 0x1F; break;
    case isa::csr::kFrm: floating.frm = value & 7; break;
    case isa::csr::kFcsr:
      floating.fflags = value & 0x1F;
      floating.frm = value >> 5 & 7;
      break;
    case isa::csr::kAccelerator:
      if (accelerator.size() != 0)
        accelerator->command(identity_.core_in_cluster, value,
                             origin(w, pc, warps_[w].simt.mask()));
      break;
    default:  // facts 3: writes are ignored
      if (params_.machine_mode) machine_[w].write(number, value);
      break;
  }
}

}  // namespace spica::simt_core
