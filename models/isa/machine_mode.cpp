// SPDX-License-Identifier: Apache-2.0
#include "models/isa/machine_mode.h"

#include "models/isa/csr.h"

namespace spica::isa {

namespace {

// Fields of mstatus that exist.
constexpr std::uint32_t kMie = 1u << 3;
constexpr std::uint32_t kMpie = 1u << 7;
constexpr std::uint32_t kMpp = 3u << 11;
constexpr std::uint32_t kFs = 3u << 13;
constexpr std::uint32_t kSd = 1u << 31;  // FS is dirty

constexpr std::uint32_t kInterrupts = 1u << 3 | 1u << 7 | 1u << 11;  // software, timer, external

/// Numbers of one block of registers.
constexpr bool within(std::uint32_t number, std::uint32_t first, std::uint32_t last) {
  return number >= first && number <= last;
}

/// Standard registers that read 0 and ignore writes here.
bool accepted(std::uint32_t number) {
  using namespace csr;
  switch (number) {
    case kSatp:
    case kMedeleg:
    case kMideleg:
    case kMstatusHigh:
    case kMip:
    case kMcountinhibit:
    case kMenvcfg:
    case kMenvcfgHigh:
    case kMnstatus: return true;
    default: break;
  }
  return within(number, 0x323, 0x33F)     // mhpmevent3-31
         || within(number, 0x3A0, 0x3EF)  // pmpcfg, pmpaddr
         || within(number, 0x7A0, 0x7A3)  // tselect, tdata1-3: no trigger exists
         || number == 0xF15;              // mconfigptr
}

}  // namespace

const char* cause_name(Cause cause) noexcept {
  switch (cause) {
    case Cause::kMisalignedFetch: return "jump to a misaligned address";
    case Cause::kFetchAccess: return "instruction access fault";
    case Cause::kIllegalInstruction: return "illegal instruction";
    case Cause::kBreakpoint: return "ebreak";
    case Cause::kMisalignedLoad: return "misaligned load";
    case Cause::kLoadAccess: return "load access fault";
    case Cause::kMisalignedStore: return "misaligned store or atomic";
    case Cause::kStoreAccess: return "store or atomic access fault";
    case Cause::kUserCall: return "ecall of user mode";
    case Cause::kMachineCall: return "ecall of machine mode";
  }
  return "unknown cause";
}

std::uint32_t MachineMode::enter(Cause cause, std::uint32_t pc, std::uint32_t value) {
  ++traps_;
  last_cause_ = cause;
  last_pc_ = pc;
  last_value_ = value;
  mepc_ = pc & ~3u;
  mcause_ = static_cast<std::uint32_t>(cause);
  mtval_ = value;
  const std::uint32_t was_enabled = (mstatus_ & kMie) != 0 ? kMpie : 0;
  const std::uint32_t was_mode = static_cast<std::uint32_t>(privilege_) << 11;
  mstatus_ = (mstatus_ & ~(kMie | kMpie | kMpp)) | was_enabled | was_mode;
  privilege_ = Privilege::kMachine;
  return handler();  // exceptions go to the base in vectored mode too
}

std::uint32_t MachineMode::leave() {
  privilege_ = (mstatus_ & kMpp) == kMpp ? Privilege::kMachine : Privilege::kUser;
  const std::uint32_t enabled = (mstatus_ & kMpie) != 0 ? kMie : 0;
  mstatus_ = (mstatus_ & ~(kMie | kMpp)) | enabled | kMpie;
  return mepc_;
}

std::optional<std::uint32_t> MachineMode::read(std::uint32_t number) const {
  switch (number) {
    case csr::kMstatus: return mstatus_ | ((mstatus_ & kFs) == kFs ? kSd : 0);
    case csr::kMie: return mie_;
    case csr::kMtvec: return mtvec_;
    case csr::kMcounteren: return mcounteren_;
    case csr::kMscratch: return mscratch_;
    case csr::kMepc: return mepc_;
    case csr::kMcause: return mcause_;
    case csr::kMtval: return mtval_;
    default: break;
  }
  if (accepted(number)) return 0;
  return std::nullopt;
}

void MachineMode::write(std::uint32_t number, std::uint32_t value) {
  switch (number) {
    case csr::kMstatus:
      mstatus_ = value & (kMie | kMpie | kMpp | kFs);
      if ((mstatus_ & kMpp) != kMpp) mstatus_ &= ~kMpp;  // only user and machine exist
      watches_floats_ = (mstatus_ & kFs) != kFs;         // dirty stays dirty, and is on
      break;
    case csr::kMie: mie_ = value & kInterrupts; break;
    case csr::kMtvec: mtvec_ = value & ~2u; break;  // direct or vectored
    case csr::kMcounteren: mcounteren_ = value & 7; break;
    case csr::kMscratch: mscratch_ = value; break;
    case csr::kMepc: mepc_ = value & ~3u; break;
    case csr::kMcause: mcause_ = value; break;
    case csr::kMtval: mtval_ = value; break;
    default: break;
  }
}

bool MachineMode::use_floats(bool changes) {
  if (!watches_floats_) return true;
  if ((mstatus_ & kFs) == 0) return false;
  if (changes) {
    mstatus_ |= kFs;
    watches_floats_ = false;
  }
  return true;
}

bool MachineMode::allows(std::uint32_t number, bool writes) const {
  if (csr::of_simt_extension(number)) return !writes || csr::writable(number);
  if (!read(number).has_value() && !csr::standard(number)) return false;
  if (writes && number >> 10 == 3) return false;
  if (privilege_ == Privilege::kMachine) return true;
  if ((number >> 8 & 3) != 0) return false;
  if (csr::user_counter(number)) return (mcounteren_ >> (number & 0x1F) & 1) != 0;
  return true;
}

}  // namespace spica::isa
