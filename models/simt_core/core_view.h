// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/isa/stacks.h"
#include "models/protocol/ports/gate_if.h"
#include "models/protocol/ports/launch_if.h"
#include "models/simt_core/warp/csr_file.h"
#include "models/simt_core/warp/warp_state.h"

namespace spica::simt_core {

/// A core as shown to its owner, debuggers and reports, in both modes. Takes no simulated time.
class CoreView : public protocol::LaunchIf {
 public:
  virtual const CoreIdentity& identity() const = 0;
  virtual WarpState& warp(unsigned index) = 0;
  virtual std::uint32_t running_warps() const = 0;
  virtual std::uint32_t waiting_at_barrier() const = 0;
  /// A short description of the current activity of warp `index`.
  virtual std::string describe_warp(unsigned index) const = 0;
  /// The instruction that warp `index` executes next.
  virtual std::uint32_t next_pc(unsigned index) const = 0;
  /// Moves the warp to `pc`; requires at_rest().
  virtual void set_pc(unsigned index, std::uint32_t pc) = 0;
  /// True if no instruction is in flight, from issue to commit and, for stores, to the memory.
  virtual bool at_rest() const = 0;
  /// A control and status register as read by that lane.
  virtual std::uint32_t read_csr(unsigned w, std::uint32_t number, unsigned lane) const = 0;
  /// Writes a register that holds state of the warp; false for all others.
  virtual bool set_csr(unsigned w, std::uint32_t number, std::uint32_t value) = 0;
  /// Checks these stacks for overflow from now on.
  virtual void guard_stacks(const isa::StackGuard& guard) = 0;
  /// Sets a gate that is called before each instruction; nullptr: none. Warps that the old gate stopped ask again.
  virtual void set_gate(protocol::GateIf* gate) = 0;
  /// Stops execution, as after a fault, until reset().
  virtual void halt() = 0;
  virtual std::uint64_t warp_instructions() const = 0;
  /// Entries into the program's own trap handler.
  virtual std::uint64_t traps() const = 0;
  virtual std::uint64_t lane_instructions() const = 0;
};

}  // namespace spica::simt_core
