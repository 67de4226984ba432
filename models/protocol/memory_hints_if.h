// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

namespace spica::isa {
struct Instruction;
}

namespace spica::protocol {

struct WarpAccess;

/// Hears from cores, in the order of issue, what bears on the memory accesses of their warps: for a block that delays
/// accesses until others come, or knows their results. It may mark accesses before they leave the core. `core`: its
/// number in the cluster; `warps`: a bit each.
class MemoryHintsIf : public virtual sc_core::sc_interface {
 public:
  /// These warps continue when all their accesses are answered.
  virtual void drain([[maybe_unused]] unsigned core, [[maybe_unused]] std::uint32_t warps) {}
  /// These warps begin, have passed a barrier, or issue what orders their accesses: a fence, an atomic, an access to a
  /// peripheral or CSR, a wait for copies.
  virtual void order([[maybe_unused]] unsigned core, [[maybe_unused]] std::uint32_t warps) {}
  /// An access of a load from shared memory.
  struct Load {
    const isa::Instruction& instruction;
    std::uint8_t destination = 0;  // row of registers, or isa::kNoRegister
    std::uint8_t part = 0;  // number of the access among those of the instruction
    bool last = true;  // it is the last one
  };
  /// It is made; the neighbour may mark it. Its lanes are not known yet.
  virtual void load([[maybe_unused]] const Load& load, [[maybe_unused]] WarpAccess& access) {}
  /// A warp stores to shared memory.
  virtual void store([[maybe_unused]] unsigned core, [[maybe_unused]] unsigned warp) {}
};

}  // namespace spica::protocol
