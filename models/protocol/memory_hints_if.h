// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

namespace spica::protocol {

/// Hears from cores, in the order of issue, what bears on the memory accesses of their warps: for a block that delays
/// accesses until others come, or knows their results. `core`: its number in the cluster; `warps`: a bit each.
class MemoryHintsIf : public virtual sc_core::sc_interface {
 public:
  /// These warps continue when all their accesses are answered.
  virtual void drain([[maybe_unused]] unsigned core, [[maybe_unused]] std::uint32_t warps) {}
  /// These warps begin, have passed a barrier, or issue what orders their accesses: a fence, an atomic, an access to a
  /// peripheral or CSR, a wait for copies.
  virtual void order([[maybe_unused]] unsigned core, [[maybe_unused]] std::uint32_t warps) {}
  /// A warp stores to shared memory.
  virtual void store([[maybe_unused]] unsigned core, [[maybe_unused]] unsigned warp) {}
};

}  // namespace spica::protocol
