// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/warp/lints.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/isa/control_flow.h"
#include "models/isa/csr.h"

namespace spica::simt_core {

using isa::Opcode;
using protocol::FaultKind;

namespace {

std::uint32_t lowest(std::uint64_t lanes) { return lanes >= 32 ? ~0u : (1u << lanes) - 1; }

/// Operand of the lane that the warp follows.
std::uint32_t scalar(const Ready& r, std::uint8_t row) {
  return row == isa::kNoRegister ? 0 : r.registers.row(row)[isa::scalar_lane(r.mask)];
}

bool lanes_disagree(const Ready& r, std::uint8_t row) {
  if (row == isa::kNoRegister) return false;
  const std::uint32_t* values = r.registers.row(row);
  const std::uint32_t value = values[isa::scalar_lane(r.mask)];
  for (std::uint32_t rest = r.mask; rest != 0; rest &= rest - 1)
    if (values[__builtin_ctz(rest)] != value) return true;
  return false;
}

/// The lowest active lane whose value is not 0 although its bit 0 is; nothing: -1.
int lane_with_even_condition(const Ready& r, std::uint8_t row) {
  if (row == isa::kNoRegister) return -1;
  const std::uint32_t* values = r.registers.row(row);
  for (std::uint32_t rest = r.mask; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    if (values[lane] != 0 && (values[lane] & 1) == 0) return lane;
  }
  return -1;
}

/// All ones is the usual way to say "all lanes there are".
bool too_wide(std::uint32_t mask, const Params& params) {
  return mask != ~0u && (mask & ~lowest(params.lanes)) != 0;
}

/// Running warps that wspawn redirects.
std::uint32_t respawned(std::uint32_t count, const Params& params, std::uint32_t active, unsigned warp) {
  const auto most = static_cast<unsigned>(std::min<std::uint64_t>(count, params.warps));
  const std::uint32_t named = lowest(most);
  return active & named & ~(1u << warp);
}

/// The rows whose value the whole warp has one of.
struct ScalarRows {
  std::uint8_t first = isa::kNoRegister, second = isa::kNoRegister;
};
ScalarRows scalar_rows(const isa::Instruction& i) {
  switch (i.opcode) {
    case Opcode::kTmc:
    case Opcode::kJoin: return {i.rs1, isa::kNoRegister};
    case Opcode::kPred: return {i.rs2, isa::kNoRegister};
    case Opcode::kWspawn:
    case Opcode::kBar: return {i.rs1, i.rs2};
    default: return {};
  }
}

std::string csr_text(std::uint32_t number) {
  const char* name = isa::csr::name(number);
  return name == nullptr ? fmt::format("CSR {:#05x}", number) : fmt::format("CSR {:#05x} ({})", number, name);
}

/// A register of the published core or of the standard, also one that always reads 0.
bool exists(std::uint32_t number, const isa::MachineMode& machine) {
  const std::uint32_t low = number & ~isa::csr::kHighHalf;
  return isa::csr::of_simt_extension(number) || isa::csr::standard(number) ||
         isa::csr::name(number) != nullptr || (low >= isa::csr::kMcycle && low < isa::csr::kMcycle + 32) ||
         machine.read(number).has_value();
}

/// Registers with one value per warp, written by the first lane of each packet, active or not.
bool takes_first_lane(const isa::Instruction& i, std::uint32_t number) {
  return i.format != isa::Format::kCsrImm && i.rs1 != isa::kNoRegister && isa::csr::writable(number);
}

GuestError warning(FaultKind kind, std::string detail) {
  return {kind, protocol::Severity::kWarning, std::move(detail)};
}

/// A condition that is not 0 or 1.
GuestError unusual_condition(const Ready& r) {
  const isa::Instruction& i = r.instruction;
  if (i.opcode == Opcode::kJoin)
    return warning(
        FaultKind::kBadCondition,
        fmt::format("join takes bit 0 of the result of its split, which is 0 or 1; here it is {:#x}",
                    scalar(r, i.rs1)));
  const int lane = lane_with_even_condition(r, i.rs1);
  return warning(FaultKind::kBadCondition,
                 fmt::format("{} tests bit 0 only: {:#x} in lane {} counts as false; compare with 0 first",
                             isa::mnemonic(i.opcode), r.registers.row(i.rs1)[lane], lane));
}

/// A value that the warp has one of, and its lanes do not agree about.
GuestError disagreement(const Ready& r, const Params& params) {
  const isa::Instruction& i = r.instruction;
  const ScalarRows rows = scalar_rows(i);
  const bool csr = i.unit == isa::Unit::kCsr;
  const std::uint8_t row = csr ? i.rs1 : lanes_disagree(r, rows.first) ? rows.first : rows.second;
  const std::uint32_t* values = r.registers.row(row);
  const unsigned last = isa::scalar_lane(r.mask);
  unsigned other = 0;
  while ((r.mask >> other & 1) == 0 || values[other] == values[last]) ++other;
  return warning(FaultKind::kLanesDisagree,
                 fmt::format("{} is {:#x} in lane {} and {:#x} in lane {}; {} wins", isa::register_name(row),
                             values[other], other, values[last], last,
                             csr ? fmt::format("the first lane of each {}, active or not,", params.sfu_lanes)
                                 : "the highest active lane"));
}

GuestError describe_csr(Lint lint, const Ready& r, const Params& params) {
  const auto number = static_cast<std::uint32_t>(r.instruction.imm);
  switch (lint) {
    case Lint::kUnknownCsr:
      return warning(FaultKind::kUnknownCsr,
                     fmt::format("CSR {:#05x} does not exist: it reads as 0{}", number,
                                 isa::csr_writes(r.instruction) ? ", and the write is ignored" : ""));
    case Lint::kReadOnlyCsr:
      return warning(FaultKind::kReadOnlyCsr,
                     fmt::format("{} cannot be written: the write is ignored", csr_text(number)));
    case Lint::kInactiveOperand:
      return warning(
          FaultKind::kInactiveOperand,
          fmt::format(
              "{} takes its value from the first lane of each {} (0, {}, ...), active or not: let that lane "
              "write it",
              csr_text(number), params.sfu_lanes, params.sfu_lanes));
    default: return {};
  }
}

}  // namespace

Lint odd_control(const Ready& r, const Params& params, std::uint32_t active_warps, unsigned warp,
                 const protocol::WorkGroup& group) {
  const isa::Instruction& i = r.instruction;
  if (i.opcode == Opcode::kPred) {
    if (lane_with_even_condition(r, i.rs1) >= 0) return Lint::kCondition;
    if (lanes_with_bit0(r.registers, i.rs1, r.mask) != 0) return Lint::kNone;  // the other mask is not used
  }
  const ScalarRows rows = scalar_rows(i);
  if (lanes_disagree(r, rows.first) || lanes_disagree(r, rows.second)) return Lint::kLanesDisagree;
  switch (i.opcode) {
    case Opcode::kTmc: return too_wide(scalar(r, i.rs1), params) ? Lint::kMaskTooWide : Lint::kNone;
    case Opcode::kPred: return too_wide(scalar(r, i.rs2), params) ? Lint::kMaskTooWide : Lint::kNone;
    case Opcode::kSplit: return lane_with_even_condition(r, i.rs1) >= 0 ? Lint::kCondition : Lint::kNone;
    case Opcode::kJoin: return scalar(r, i.rs1) > 1 ? Lint::kCondition : Lint::kNone;
    case Opcode::kWspawn: {
      const std::uint32_t count = scalar(r, i.rs1);
      if (count > params.warps) return Lint::kSpawnTooMany;
      return respawned(count, params, active_warps, warp) != 0 ? Lint::kSpawnRunning : Lint::kNone;
    }
    case Opcode::kBar: {
      const std::uint32_t count = scalar(r, i.rs2);
      if (scalar(r, i.rs1) >= (group.exists() ? group.barriers : params.barriers)) return Lint::kBarrierId;
      if (group.exists() && count == 0) return Lint::kNone;  // all of its warps
      return count == 0 || count > params.warps ? Lint::kBarrierCount : Lint::kNone;
    }
    default: return Lint::kNone;
  }
}

Lint odd_csr(const Ready& r, const Params& params, const isa::MachineMode& machine,
             const protocol::WorkGroup& group) {
  const isa::Instruction& i = r.instruction;
  const auto number = static_cast<std::uint32_t>(i.imm);
  if (isa::csr::of_work_group(number))
    return !group.exists() ? Lint::kUnknownCsr : isa::csr_writes(i) ? Lint::kReadOnlyCsr : Lint::kNone;
  if (!exists(number, machine)) return Lint::kUnknownCsr;
  if (!isa::csr_writes(i)) return Lint::kNone;
  const bool read_only =
      number >> 10 == 3 || (isa::csr::of_simt_extension(number) && !isa::csr::writable(number));
  if (read_only) return Lint::kReadOnlyCsr;
  if (!takes_first_lane(i, number)) return Lint::kNone;
  if (lanes_disagree(r, i.rs1)) return Lint::kLanesDisagree;
  const auto width = static_cast<unsigned>(params.sfu_lanes);
  for (unsigned first = 0; first < params.lanes; first += width) {
    const bool any = (r.mask >> first & ((std::uint64_t{1} << width) - 1)) != 0;
    if (any && (r.mask >> first & 1) == 0) return Lint::kInactiveOperand;
  }
  return Lint::kNone;
}

Lint odd_tensor(std::uint32_t mask, const Params& params) {
  return mask != lowest(params.lanes) ? Lint::kPartialTensor : Lint::kNone;
}

GuestError describe(Lint lint, const Ready& r, const Params& params, std::uint32_t active_warps,
                    unsigned warp) {
  const isa::Instruction& i = r.instruction;
  switch (lint) {
    case Lint::kMaskTooWide: {
      const std::uint32_t mask = scalar(r, i.opcode == Opcode::kPred ? i.rs2 : i.rs1);
      const bool ends = i.opcode == Opcode::kTmc && (mask & lowest(params.lanes)) == 0;
      return warning(
          FaultKind::kMaskTooWide,
          fmt::format("the mask is {:#x}, a warp has lanes 0 to {}: the other bits are ignored{}", mask,
                      params.lanes - 1, ends ? ", and with no lane left the warp ends" : ""));
    }
    case Lint::kSpawnTooMany:
      return warning(FaultKind::kSpawnTooMany,
                     fmt::format("{} warps requested, the core has {}: only these are started",
                                 scalar(r, i.rs1), params.warps));
    case Lint::kSpawnRunning: {
      const std::uint32_t again = respawned(scalar(r, i.rs1), params, active_warps, warp);
      return warning(
          FaultKind::kSpawnRunning,
          fmt::format("warp {} of the core is still running and is redirected to {:#010x}; wait until "
                      "CSR 0xcc3 (active_warps) shows that it has ended",
                      __builtin_ctz(again), scalar(r, i.rs2)));
    }
    case Lint::kBarrierId: {
      const std::uint32_t id = scalar(r, i.rs1);
      return warning(FaultKind::kBarrierId, fmt::format("barrier {}; the ids are 0 to {}: barrier {} is used",
                                                        id, params.barriers - 1, id % params.barriers));
    }
    case Lint::kBarrierCount: {
      const std::uint32_t count = scalar(r, i.rs2);
      return warning(
          FaultKind::kBarrierCount,
          count == 0
              ? fmt::format("the count is 0; it is the number of warps of each core, 1 to {}", params.warps)
              : fmt::format("it waits for {} warps of each core, but a core has {}", count, params.warps));
    }
    case Lint::kCondition: return unusual_condition(r);
    case Lint::kLanesDisagree: return disagreement(r, params);
    case Lint::kPartialTensor:
      return warning(FaultKind::kPartialTensor,
                     fmt::format("lanes {:#x} of {:#x} are active; all are read, the active ones written",
                                 r.mask, lowest(params.lanes)));
    default: return describe_csr(lint, r, params);
  }
  return {};
}

}  // namespace spica::simt_core
