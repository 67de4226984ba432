// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/isa/stacks.h"
#include "models/protocol/gate_if.h"
#include "models/protocol/launch_if.h"
#include "models/simt_core/warp/csr_file.h"
#include "models/simt_core/warp/warp_state.h"

namespace spica::simt_core {

/// A core as its owner, debuggers and reports see it, in both modes. No time passes.
class CoreView : public protocol::LaunchIf {
 public:
  virtual const CoreIdentity& identity() const = 0;
  virtual WarpState& warp(unsigned index) = 0;
  virtual std::uint32_t running_warps() const = 0;
  virtual std::uint32_t waiting_at_barrier() const = 0;
  /// What warp `index` is doing, in a few words.
  virtual std::string describe_warp(unsigned index) const = 0;
  /// The instruction that warp `index` executes next.
  virtual std::uint32_t next_pc(unsigned index) const = 0;
  /// Lets the warp continue there; while the core is at rest.
  virtual void set_pc(unsigned index, std::uint32_t pc) = 0;
  /// No instruction is under way, from issue to commit and, for stores, to the memory.
  virtual bool at_rest() const = 0;
  /// A control and status register as an instruction of that lane would read it.
  virtual std::uint32_t read_csr(unsigned w, std::uint32_t number, unsigned lane) const = 0;
  /// Writes one of the registers that hold state of the warp; false for all others.
  virtual bool set_csr(unsigned w, std::uint32_t number, std::uint32_t value) = 0;
  /// Looks for overflows of these stacks from now on.
  virtual void guard_stacks(const isa::StackGuard& guard) = 0;
  /// Asks `gate` before each instruction, from now on; nullptr: none. Warps it has held ask again.
  virtual void set_gate(protocol::GateIf* gate) = 0;
  /// No instruction is executed any more, as after a fault; until reset().
  virtual void halt() = 0;
  virtual std::uint64_t warp_instructions() const = 0;
  /// Entries into the program's own trap handler.
  virtual std::uint64_t traps() const = 0;
  virtual std::uint64_t lane_instructions() const = 0;
};

}  // namespace spica::simt_core
