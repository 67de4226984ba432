// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

namespace spica::isa {
struct Instruction;
}

namespace spica::protocol {

struct WarpAccess;

/// Receives from cores, in issue order, events that affect the memory accesses of their warps. For blocks that delay
/// accesses in order to merge them, or that know their results. It may mark accesses before they leave the core.
/// `core`: its number in the cluster; `warps`: one bit each.
class MemoryHintsIf : public virtual sc_core::sc_interface {
 public:
  /// These warps will wait until all their accesses are answered.
  virtual void drain([[maybe_unused]] unsigned core, [[maybe_unused]] std::uint32_t warps) {}
  /// These warps begin, have passed a barrier, or issue an instruction that orders their accesses: a fence, an atomic,
  /// an access to a peripheral or CSR, a wait for copies.
  virtual void order([[maybe_unused]] unsigned core, [[maybe_unused]] std::uint32_t warps) {}
  /// An access of a load from shared memory.
  struct Load {
    const isa::Instruction& instruction;
    std::uint8_t destination = 0;  // row of registers, or isa::kNoRegister
    std::uint8_t part = 0;  // number of this access within its instruction
    bool last = true;  // it is the last one
  };
  /// The access has been created and may be marked. Its lanes are not known yet.
  virtual void load([[maybe_unused]] const Load& load, [[maybe_unused]] WarpAccess& access) {}
  /// A warp stores to shared memory.
  virtual void store([[maybe_unused]] unsigned core, [[maybe_unused]] unsigned warp) {}
};

}  // namespace spica::protocol
