// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace spica::isa {

/// Exception codes of mcause (privileged specification 20211203, table 3.6).
enum class Cause : std::uint32_t {
  kMisalignedFetch = 0,
  kFetchAccess = 1,
  kIllegalInstruction = 2,
  kBreakpoint = 3,
  kMisalignedLoad = 4,
  kLoadAccess = 5,
  kMisalignedStore = 6,  // also AMO and store-conditional
  kStoreAccess = 7,      // also AMO and store-conditional
  kUserCall = 8,
  kMachineCall = 11,
};

/// "load access fault", "ecall of user mode", ...
const char* cause_name(Cause cause) noexcept;

enum class Privilege : std::uint8_t { kUser = 0, kMachine = 3 };

/// Machine-mode state of one warp (machine and user mode), without timing.
///
/// Holds    mstatus (MIE, MPIE, MPP, FS), mtvec, mscratch, mepc, mcause, mtval, mie, mcounteren
/// Accepts  satp, medeleg, mideleg, pmp*, mnstatus, triggers and the like, which read 0 and ignore writes: there is no
///          supervisor mode, no protection and no interrupt source
/// Reset    everything 0 except mcounteren (all counters open to user mode). A program that writes none of these
///          registers sees the published core, which lacks them (vortex core/VX_csr_data.sv); so mstatus.FS is 0 and
///          takes effect only after the first write of mstatus
/// Source   RISC-V privileged specification 20211203, chapter 3
class MachineMode {
 public:
  Privilege privilege() const { return privilege_; }
  /// The program has written an address to mtvec.
  bool handler_installed() const { return mtvec_ >> 2 != 0; }
  /// The handler address, in direct and in vectored mode.
  std::uint32_t handler() const { return mtvec_ & ~3u; }

  /// Enters the handler. `pc`: address of the instruction; `value`: written to mtval. Returns the pc to continue at.
  std::uint32_t enter(Cause cause, std::uint32_t pc, std::uint32_t value);
  /// Executes mret. Returns the pc to continue at.
  std::uint32_t leave();

  /// For reports: number of traps since reset, and the last of them.
  std::uint64_t traps() const { return traps_; }
  Cause last_cause() const { return last_cause_; }
  std::uint32_t last_pc() const { return last_pc_; }
  std::uint32_t last_value() const { return last_value_; }

  /// Value of a register of this class; empty for all others.
  std::optional<std::uint32_t> read(std::uint32_t number) const;
  /// Writes a register of this class; ignores all other numbers.
  void write(std::uint32_t number, std::uint32_t value);

  /// Whether the standard allows this warp to access register `number` now: it exists, its privilege (bits 9:8) is not
  /// above the warp's, and it is not written if read-only (bits 11:10). Both modes may use the registers of the SIMT
  /// extension.
  bool allows(std::uint32_t number, bool writes) const;

  /// True if the program has written mstatus and left FS off, initial or clean: call use_floats() before each
  /// instruction that uses floats.
  bool watches_floats() const { return watches_floats_; }
  /// False: the unit is off and the instruction is illegal. Otherwise records a change of its state.
  bool use_floats(bool changes);

  /// A new program starts on the warp, in machine mode; the registers keep their values.
  void restart() { privilege_ = Privilege::kMachine; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(privilege_, watches_floats_, mstatus_, mtvec_, mscratch_, mepc_, mcause_, mtval_, mie_,
            mcounteren_, traps_, last_cause_, last_pc_, last_value_);
  }

 private:
  Privilege privilege_ = Privilege::kMachine;
  bool watches_floats_ = false;
  std::uint32_t mstatus_ = 0;
  std::uint32_t mtvec_ = 0;
  std::uint32_t mscratch_ = 0;
  std::uint32_t mepc_ = 0;
  std::uint32_t mcause_ = 0;
  std::uint32_t mtval_ = 0;
  std::uint32_t mie_ = 0;
  std::uint32_t mcounteren_ = 7;  // cycle, time and instret are open
  std::uint64_t traps_ = 0;
  Cause last_cause_ = Cause::kIllegalInstruction;
  std::uint32_t last_pc_ = 0, last_value_ = 0;
};

}  // namespace spica::isa
