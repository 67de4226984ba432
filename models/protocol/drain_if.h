// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

namespace spica::protocol {

/// Hears from cores what waits for memory accesses, so that nothing keeps these back for others to come.
class DrainIf : public virtual sc_core::sc_interface {
 public:
  /// These warps (a bit each) of a core, by its number in the cluster, go on when all their accesses are answered.
  virtual void drain(unsigned core, std::uint32_t warps) = 0;
};

}  // namespace spica::protocol
