// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/fault_report.h"

#include <fmt/format.h>

#include <iterator>

namespace spica::report {

using protocol::FaultKind;
using protocol::Origin;
using protocol::Severity;

namespace {

const char* severity_name(Severity severity) {
  switch (severity) {
    case Severity::kNote: return "note";
    case Severity::kWarning: return "warning";
    case Severity::kFault: return "fault";
  }
  return "fault";
}

/// What `address` is.
const char* address_name(FaultKind kind) {
  switch (kind) {
    case FaultKind::kDivergentBranch:
    case FaultKind::kMisalignedFetch:
    case FaultKind::kUnmappedFetch: return "target";
    case FaultKind::kEndedWarps: return "kernel";
    default: return "address";
  }
}

/// What happens where code with instructions of 16 bits is run: such a word, or a jump between two words.
bool meets_compressed_code(const protocol::GuestFault& fault) {
  if (fault.kind == FaultKind::kIllegalInstruction) return isa::is_compressed(fault.instruction);
  return fault.kind == FaultKind::kMisalignedFetch && fault.address % 4 == 2;
}

}  // namespace

const char* fault_sentence(FaultKind kind) {
  switch (kind) {
    case FaultKind::kIllegalInstruction: return "an illegal instruction";
    case FaultKind::kMisalignedAccess: return "a misaligned memory access";
    case FaultKind::kUnmappedAccess: return "an access to an unmapped address";
    case FaultKind::kAtomicRefused: return "an atomic operation on a register of a device";
    case FaultKind::kAccessError: return "an access to a register that does not exist";
    case FaultKind::kRegisterSize: return "an access to part of a register";
    case FaultKind::kMisalignedFetch: return "a jump to a misaligned address";
    case FaultKind::kUnmappedFetch: return "an instruction fetch from an address without code";
    case FaultKind::kEnvironmentCall: return "an ecall without a trap handler";
    case FaultKind::kBreakpoint: return "an ebreak without a trap handler";
    case FaultKind::kAssertion: return "an assertion failed";
    case FaultKind::kAbort: return "the program called abort()";
    case FaultKind::kDivergentBranch:
      return "a divergent branch outside split and join: the active lanes disagree";
    case FaultKind::kJoinWithoutSplit: return "a join without a split";
    case FaultKind::kSpawnInGroup: return "wspawn in a work group";
    case FaultKind::kSimtStackOverflow: return "more nested splits than the SIMT stack holds";
    case FaultKind::kStackOverflow: return "a stack overflow";
    case FaultKind::kBadMatrixCommand: return "an invalid command to a matrix unit";
    case FaultKind::kCommandLost: return "a lost command to a matrix unit";
    case FaultKind::kHostCommand: return "an unknown request to the host (tohost)";
    case FaultKind::kUnitAccess: return "a DMA transfer to or from an unmapped address";
    case FaultKind::kTilePlace: return "an operand tile outside shared memory";
    case FaultKind::kBadPacket: return "a packet that the command processor cannot run";
    case FaultKind::kSpawnTooMany: return "wspawn of more warps than the core has";
    case FaultKind::kSpawnRunning: return "wspawn of a warp that is still running";
    case FaultKind::kMaskTooWide: return "a mask with lanes that the warp does not have";
    case FaultKind::kBarrierId: return "a barrier id out of range";
    case FaultKind::kBarrierCount: return "a barrier count out of range";
    case FaultKind::kBadCondition: return "a condition that is neither 0 nor 1";
    case FaultKind::kLanesDisagree: return "lanes that disagree on a value that the whole warp shares";
    case FaultKind::kUnknownCsr: return "a CSR that does not exist";
    case FaultKind::kReadOnlyCsr: return "a write to a read-only CSR";
    case FaultKind::kInactiveOperand: return "a CSR write with the value of an inactive lane";
    case FaultKind::kPartialTensor: return "a tensor instruction with inactive lanes";
    case FaultKind::kOtherTensorCore:
      return "a tensor instruction that means something else on the other kind of tensor core";
    case FaultKind::kMaskNotRestored: return "a warp that ended inside a split";
    case FaultKind::kEndedWarps: return "a barrier that warps of the work group do not reach";
  }
  return "an unknown fault";
}

std::string origin_text(const Origin& origin) {
  switch (origin.unit) {
    case Origin::Unit::kNone: return "unknown";
    case Origin::Unit::kCore: return fmt::format("core {}, warp {}", origin.core, origin.warp);
    case Origin::Unit::kMatrixUnit: return fmt::format("matrix unit {}", origin.core);
    case Origin::Unit::kDma: return fmt::format("DMA {}", origin.core);
    case Origin::Unit::kTensorCore: return fmt::format("tensor core of core {}", origin.core);
    case Origin::Unit::kHost: return "host";
    case Origin::Unit::kCommandProcessor: return "command processor";
  }
  return "unknown";
}

bool has_pc(const Origin& origin) {
  return origin.unit == Origin::Unit::kCore ||
         (origin.unit == Origin::Unit::kCommandProcessor && origin.pc != 0);
}

std::string lanes_text(std::uint32_t mask) {
  std::string text;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    unsigned last = lane;
    while (last < 31 && (mask >> (last + 1) & 1) != 0) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", lane);
    if (last > lane) text += fmt::format("{}{}", last == lane + 1 ? ',' : '-', last);
    lane = last;
  }
  return text.empty() ? "none" : text;
}

std::string frame_text(const loader::Frame& frame) {
  std::string place = frame.place();
  if (frame.function.empty()) return place;
  return place.empty() ? frame.function : frame.function + ", " + place;
}

std::string format_fault(const protocol::GuestFault& fault, const FaultContext& context) {
  std::string text = fmt::format("{}: {}\n", severity_name(fault.severity), fault_sentence(fault.kind));
  const auto line = [&text](const char* name, const std::string& value) {
    fmt::format_to(std::back_inserter(text), "  {:<12} {}\n", name, value);
  };
  const Origin& origin = fault.origin;
  line("time", fmt::format("cycle {} ({:.1f} ns)", fault.cycle,
                           static_cast<double>(fault.cycle) * 1000 / context.clock_mhz));
  line("by", origin_text(origin));
  if (has_pc(origin)) {
    const loader::Location& location = context.sources->lookup(origin.pc);
    const std::string offset =
        location.frame.function.empty() ? "" : fmt::format(" (+{:#x})", location.offset);
    line("pc", fmt::format("{:#010x}{}", origin.pc, offset));
    if (const std::string place = frame_text(location.frame); !place.empty()) line("in", place);
    for (const loader::Frame& caller : location.inlined_into) line("inlined into", frame_text(caller));
    // Zero is "not known", except where the word itself is the complaint.
    if (fault.instruction != 0 || fault.kind == FaultKind::kIllegalInstruction)
      line("instruction",
           fmt::format("{:#010x}  {}", fault.instruction,
                       isa::disassemble(isa::decode(fault.instruction, context.tensor_style), origin.pc)));
    if (origin.unit == Origin::Unit::kCore) line("lanes", lanes_text(origin.lanes));
  }
  if (fault.has_address) line(address_name(fault.kind), fmt::format("{:#010x}", fault.address));
  if (!fault.detail.empty()) line("detail", fault.detail);
  if (context.compressed_program && meets_compressed_code(fault))
    line("program",
         "its header says that it contains compressed instructions (EF_RISCV_RVC): compile everything in "
         "it without the C extension (-march=rv32imaf)");
  return text;
}

}  // namespace spica::report
