// SPDX-License-Identifier: Apache-2.0
// A single-hart processor inside a block, which runs the block's own program (its firmware).
#pragma once

#include <cstdint>
#include <string>
#include <systemc>

#include "models/base/types.h"
#include "models/protocol/payload/guest_fault.h"
#include "models/protocol/payload/origin.h"

namespace spica::protocol {

/// The hart as seen by its block. Cycles are those of the hart's clock, which the block maintains.
class HartIf : public virtual sc_core::sc_interface {
 public:
  /// Executes instructions that begin before cycle `until`, or until the hart sleeps, is held or has stopped.
  virtual void run(base::Cycle until) = 0;
  /// Wakes the hart: its next instruction begins in cycle `now` at the earliest.
  virtual void wake(base::Cycle now) = 0;
  /// The cycle in which the next instruction begins.
  virtual base::Cycle now() const = 0;
  /// True if it has an instruction to execute: it does not sleep, has not ended and was not stopped by a fault.
  virtual bool runs() const = 0;
  /// True if its program has ended or a fault has stopped it.
  virtual bool ended() const = 0;
  /// True if the debugger, which is asked before each instruction, has refused the next one.
  virtual bool gated() const = 0;
  virtual bool held() const = 0;
  /// pc and hart of the next instruction.
  virtual Origin origin() const = 0;
};

/// A load or store outside of the hart's own memory.
struct HartAccess {
  std::uint64_t address;
  unsigned bytes;  // at most 4
  bool store;
  bool atomic;
  std::uint32_t value = 0;  // the value stored or loaded
  std::uint64_t cycles = 0;  // cycles beyond those of an instruction
  bool sleeps = false;  // the hart sleeps after it
  std::string error = {};  // the error of the access; empty: none
  FaultKind kind = FaultKind::kAccessError;  // kind of that error
};

/// The interface of the block to its hart.
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
