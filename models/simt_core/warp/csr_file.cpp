// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/warp/csr_file.h"

#include "models/isa/csr.h"

namespace spica::simt_core {

bool CsrFile::allows(const isa::Instruction& instruction) const {
  if (group.exists() && isa::csr::of_work_group(static_cast<std::uint32_t>(instruction.imm)))
    return !isa::csr_writes(instruction);
  return !params.machine_mode || !machine.handler_installed() ||
         machine.allows(static_cast<std::uint32_t>(instruction.imm), isa::csr_writes(instruction));
}

void CsrFile::execute(const isa::Instruction& instruction, isa::RegisterFile& registers,
                      const protocol::Origin& origin) {
  const auto number = static_cast<std::uint32_t>(instruction.imm);
  std::uint32_t old_values[isa::kMaxLanes];
  const bool by_lane = isa::csr::of_lane(number);
  const std::uint32_t common = by_lane ? 0 : read(number, 0);
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    old_values[lane] = by_lane ? read(number, lane) : common;
  }
  const auto write_from = [&](unsigned lane) {
    const std::uint32_t operand =
        instruction.rs1 == isa::kNoRegister ? 0 : registers.row(instruction.rs1)[lane];
    const isa::CsrOperation operation = isa::csr_operation(instruction, read(number, lane), operand);
    if (operation.writes) write(number, operation.value, origin);
  };
  if (!isa::csr_writes(instruction)) {
    // Nothing to write.
  } else if (params.machine_mode && (machine.read(number).has_value() || isa::csr::machine_counter(number))) {
    write_from(isa::scalar_lane(mask));  // like every scalar operand: handlers run inside splits
  } else {
    // The published registers: one write per packet of the special-function unit; its operand is the
    // packet's first lane, whether that lane is active or not.
    const auto width = static_cast<unsigned>(params.sfu_lanes);
    for (unsigned first = 0; first < params.lanes; first += width)
      if ((mask >> first & ((std::uint64_t{1} << width) - 1)) != 0) write_from(first);
  }
  if (instruction.rd == isa::kNoRegister) return;
  std::uint32_t* row = registers.row(instruction.rd);
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    row[lane] = old_values[lane];
  }
}

std::uint32_t CsrFile::read(std::uint32_t number, unsigned lane) const {
  const auto warps = static_cast<std::uint32_t>(params.warps);
  const auto lanes = static_cast<std::uint32_t>(params.lanes);
  switch (number) {
    case isa::csr::kFflags: return floating.fflags;
    case isa::csr::kFrm: return floating.frm;
    case isa::csr::kFcsr: return (std::uint32_t{floating.frm} << 5) | floating.fflags;
    case isa::csr::kMisa: return isa::csr::kMisaValue;
    case isa::csr::kAccelerator: return accelerator != nullptr ? accelerator->busy() : 0;
    case isa::csr::kMcycle: return static_cast<std::uint32_t>(mcycle());
    case isa::csr::kMcycleHigh: return static_cast<std::uint32_t>(mcycle() >> 32);
    case isa::csr::kMinstret: return static_cast<std::uint32_t>(minstret());
    case isa::csr::kMinstretHigh: return static_cast<std::uint32_t>(minstret() >> 32);
    case isa::csr::kLaneId: return lane;
    case isa::csr::kWarpId: return warp;
    case isa::csr::kCoreId: return identity.core;
    case isa::csr::kActiveWarps: return active_warps;
    case isa::csr::kThreadMask: return mask;
    case isa::csr::kHartId: return first_hart(params, identity.core, warp) + lane;
    case isa::csr::kLanes: return lanes;
    case isa::csr::kWarps: return warps;
    case isa::csr::kCores: return identity.cores;
    default: break;
  }
  if (const std::uint32_t low = number & ~isa::csr::kHighHalf;
      low >= isa::csr::kMhpmcounter3 && low < isa::csr::kMcycle + 32) {
    const std::uint64_t value = performance.read(static_cast<unsigned>(params.mpm_class), low);
    return static_cast<std::uint32_t>(number == low ? value : value >> 32);
  }
  if (group.exists() && isa::csr::of_work_group(number)) return read_group(number, lane);
  if (number == isa::csr::kMscratch) return machine.read(number).value_or(0);  // the argument of a kernel
  if (!params.machine_mode) return 0;  // as the published core: all others read as 0
  switch (number) {
    case isa::csr::kCycle: return read(isa::csr::kMcycle, lane);
    case isa::csr::kCycleHigh: return read(isa::csr::kMcycleHigh, lane);
    case isa::csr::kTime: return static_cast<std::uint32_t>(now);  // the clock is never set
    case isa::csr::kTimeHigh: return static_cast<std::uint32_t>(now >> 32);
    case isa::csr::kInstret: return read(isa::csr::kMinstret, lane);
    case isa::csr::kInstretHigh: return read(isa::csr::kMinstretHigh, lane);
    default: return machine.read(number).value_or(0);
  }
}

std::uint32_t CsrFile::read_group(std::uint32_t number, unsigned lane) const {
  using namespace isa::csr;
  if (number >= kThreadIndex && number < kBlockIndex) {
    const std::uint32_t thread = group.rank * static_cast<std::uint32_t>(params.lanes) + lane;
    const std::uint32_t x = group.block[0], y = group.block[1];
    return number == kThreadIndex ? thread % x : number == kThreadIndex + 1 ? thread / x % y : thread / x / y;
  }
  if (number >= kBlockIndex && number < kBlockExtent) return group.index[number - kBlockIndex];
  if (number >= kBlockExtent && number < kGridExtent) return group.block[number - kBlockExtent];
  if (number >= kGridExtent && number < kGroupShared) return group.grid[number - kGridExtent];
  switch (number) {
    case kGroupSlot: return group.slot;
    case kGroupRank: return group.rank;
    case kGroupWarps: return group.warps;
    case kGroupShared: return group.shared_base;
    default: return group.entry;
  }
}

bool CsrFile::set(std::uint32_t number, std::uint32_t value) {
  const bool of_floats = isa::csr::of_floats(number);
  const bool of_machine =
      params.machine_mode && (machine.read(number).has_value() || isa::csr::machine_counter(number));
  if (of_floats || of_machine) write(number, value, {});
  return of_floats || of_machine;
}

namespace {
/// `whole` with one half replaced.
std::uint64_t with_half(std::uint64_t whole, bool high, std::uint32_t value) {
  const unsigned shift = high ? 32 : 0;
  return (whole & ~(std::uint64_t{0xFFFF'FFFF} << shift)) | std::uint64_t{value} << shift;
}
}  // namespace

void CsrFile::write_counter(std::uint32_t number, std::uint32_t value) {
  const bool high = (number & isa::csr::kHighHalf) != 0;
  if ((number & ~isa::csr::kHighHalf) == isa::csr::kMcycle) {
    offsets.cycles = with_half(mcycle(), high, value) - now;
    return;
  }
  // The instruction itself is not counted: the next one reads what was written.
  const auto lanes = static_cast<unsigned>(__builtin_popcount(mask));
  offsets.lane_instructions = with_half(minstret(), high, value) - lane_instructions - lanes;
}

void CsrFile::write(std::uint32_t number, std::uint32_t value, const protocol::Origin& origin) {
  switch (number) {
    case isa::csr::kFflags: floating.fflags = value & 0x1F; break;
    case isa::csr::kFrm: floating.frm = value & 7; break;
    case isa::csr::kFcsr:
      floating.fflags = value & 0x1F;
      floating.frm = value >> 5 & 7;
      break;
    case isa::csr::kAccelerator:
      if (accelerator != nullptr) accelerator->command(identity.core_in_cluster, value, origin);
      break;
    default:  // as the published core: writes are ignored
      if (!params.machine_mode) break;
      if (isa::csr::machine_counter(number)) write_counter(number, value);
      else machine.write(number, value);
      break;
  }
}

}  // namespace spica::simt_core
