// SPDX-License-Identifier: Apache-2.0
// A processor of one hart that a block has for a program of its own, its firmware.
#pragma once

#include <cstdint>
#include <string>
#include <systemc>

#include "models/base/types.h"
#include "models/protocol/guest_fault.h"
#include "models/protocol/origin.h"

namespace spica::protocol {

/// The hart, as its block sees it. Cycles are those of the hart's clock, which the block keeps.
class HartIf : public virtual sc_core::sc_interface {
 public:
  /// Executes what begins before cycle `until`, or until it sleeps, is held or has stopped.
  virtual void run(base::Cycle until) = 0;
  /// Its next instruction begins in cycle `now` at the earliest; it does not sleep.
  virtual void wake(base::Cycle now) = 0;
  /// The cycle in which its next instruction begins.
  virtual base::Cycle now() const = 0;
  /// It has an instruction to execute: it does not sleep, has not ended, and no fault has stopped it.
  virtual bool runs() const = 0;
  /// It neither runs nor sleeps: its program has ended, or a fault has stopped it.
  virtual bool ended() const = 0;
  /// A debugger is asked before each instruction; it has refused the next one.
  virtual bool gated() const = 0;
  virtual bool held() const = 0;
  /// Place of its next instruction.
  virtual Origin origin() const = 0;
};

/// A load or store outside of the hart's own memory.
struct HartAccess {
  std::uint64_t address;
  unsigned bytes;  // at most 4
  bool store;
  bool atomic;
  std::uint32_t value = 0;  // what is stored, or has been loaded
  std::uint64_t cycles = 0;  // that it takes longer than an instruction
  bool sleeps = false;  // the hart does, after it
  std::string error = {};  // what is wrong with it; empty: nothing
  FaultKind kind = FaultKind::kAccessError;  // of that
};

/// What its block is for a hart.
class HartBusIf : public virtual sc_core::sc_interface {
 public:
  virtual void access(HartAccess& access) = 0;
  /// An instruction uses the value of the last load.
  virtual void used(std::uint64_t address, std::uint32_t value) = 0;
  /// The cycle of the machine, for reports.
  virtual base::Cycle machine_cycle() const = 0;
  /// The block that holds the hart may let it resume.
  virtual void hart_may_resume() = 0;
};

}  // namespace spica::protocol
