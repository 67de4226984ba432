// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

namespace spica::protocol {

/// Starts a core: warp 0, lane 0 only, all registers zero, at `entry` (vortex VX_core_wrapper.sv).
/// Implemented by the core.
class LaunchIf : public virtual sc_core::sc_interface {
 public:
  virtual void launch(std::uint32_t entry) = 0;
};

}  // namespace spica::protocol
