// SPDX-License-Identifier: Apache-2.0
#include "platform/report/fault_report.h"

#include <fmt/format.h>

#include <iterator>

namespace spica::report {

using protocol::FaultKind;
using protocol::Origin;
using protocol::Severity;

namespace {

const char* severity_name(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kFault:
      return "fault";
  }
  return "fault";
}

/// True when `address` says where control went and not what data was touched.
bool is_target(FaultKind kind) {
  return kind == FaultKind::kDivergentBranch || kind == FaultKind::kMisalignedFetch ||
         kind == FaultKind::kUnmappedFetch;
}

/// What happens where code with instructions of 16 bits is run: such a word, or a jump between two words.
bool meets_compressed_code(const protocol::GuestFault& fault) {
  if (fault.kind == FaultKind::kIllegalInstruction) return isa::is_compressed(fault.instruction);
  return fault.kind == FaultKind::kMisalignedFetch && fault.address % 4 == 2;
}

}  // namespace

const char* fault_sentence(FaultKind kind) {
  switch (kind) {
    case FaultKind::kIllegalInstruction:
      return "an instruction that the core does not have";
    case FaultKind::kMisalignedAccess:
      return "a memory access that is not aligned to its size";
    case FaultKind::kUnmappedAccess:
      return "a memory access where there is nothing";
    case FaultKind::kAtomicRefused:
      return "an atomic operation on a peripheral";
    case FaultKind::kAccessError:
      return "a memory access that its target refused";
    case FaultKind::kMisalignedFetch:
      return "a jump to an address that is not a multiple of 4";
    case FaultKind::kUnmappedFetch:
      return "an instruction fetch where there is no code";
    case FaultKind::kEnvironmentCall:
      return "an ecall, and nothing here answers it";
    case FaultKind::kBreakpoint:
      return "an ebreak";
    case FaultKind::kDivergentBranch:
      return "a branch on which the active lanes disagree, outside of split and join";
    case FaultKind::kJoinWithoutSplit:
      return "a join without a split";
    case FaultKind::kSimtStackOverflow:
      return "more nested splits than the SIMT stack holds";
    case FaultKind::kBadMatrixCommand:
      return "a command that the matrix unit does not understand";
    case FaultKind::kCommandLost:
      return "a command to a matrix unit that could not take it";
    case FaultKind::kHostCommand:
      return "a request to the host (tohost) that it does not understand";
    case FaultKind::kSpawnTooMany:
      return "wspawn for more warps than a core has";
    case FaultKind::kOtherTensorCore:
      return "a tensor instruction that means something else on the other kind of tensor core";
    case FaultKind::kMaskNotRestored:
      return "a warp that ended inside a split";
  }
  return "an unknown mistake";
}

std::string origin_text(const Origin& origin) {
  switch (origin.unit) {
    case Origin::Unit::kNone:
      return "unknown";
    case Origin::Unit::kCore:
      return fmt::format("core {}, warp {}", origin.core, origin.warp);
    case Origin::Unit::kMatrixUnit:
      return fmt::format("matrix unit {}", origin.core);
    case Origin::Unit::kDma:
      return fmt::format("DMA {}", origin.core);
    case Origin::Unit::kTensorCore:
      return fmt::format("tensor core of core {}", origin.core);
    case Origin::Unit::kHost:
      return "host";
  }
  return "unknown";
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
  const std::string place = frame.place();
  if (frame.function.empty()) return place;
  return place.empty() ? frame.function : frame.function + ", " + place;
}

std::string format_fault(const protocol::GuestFault& fault, const FaultContext& context) {
  std::string text =
      fmt::format("{}: {}\n", severity_name(fault.severity), fault_sentence(fault.kind));
  const auto line = [&text](const char* name, const std::string& value) {
    fmt::format_to(std::back_inserter(text), "  {:<12} {}\n", name, value);
  };
  const Origin& origin = fault.origin;
  line("time", fmt::format("cycle {} ({:.1f} ns)", fault.cycle,
                           static_cast<double>(fault.cycle) * 1000 / context.clock_mhz));
  line("by", origin_text(origin));
  if (origin.unit == Origin::Unit::kCore) {
    const loader::Location& location = context.sources->lookup(origin.pc);
    const std::string offset =
        location.frame.function.empty() ? "" : fmt::format(" (+{:#x})", location.offset);
    line("pc", fmt::format("{:#010x}{}", origin.pc, offset));
    if (const std::string place = frame_text(location.frame); !place.empty()) line("in", place);
    for (const loader::Frame& caller : location.inlined_into)
      line("inlined into", frame_text(caller));
    // Zero is "not known", except where the word itself is the complaint.
    if (fault.instruction != 0 || fault.kind == FaultKind::kIllegalInstruction)
      line("instruction", fmt::format("{:#010x}  {}", fault.instruction,
                                      isa::disassemble(isa::decode(fault.instruction, context.tensor_style), origin.pc)));
    line("lanes", lanes_text(origin.lanes));
  }
  if (fault.has_address)
    line(is_target(fault.kind) ? "target" : "address", fmt::format("{:#010x}", fault.address));
  if (!fault.detail.empty()) line("detail", fault.detail);
  if (context.compressed_program && meets_compressed_code(fault))
    line("program", "its header says that it contains compressed instructions (EF_RISCV_RVC): compile everything in "
                    "it without the C extension (-march=rv32imaf)");
  return text;
}

}  // namespace spica::report
