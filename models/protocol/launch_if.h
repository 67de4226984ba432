// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

namespace spica::protocol {

/// Starts a core: warp 0, lane 0 only, all registers zero, at `entry` (facts 1.3). Implemented by the core.
class LaunchIf : public virtual sc_core::sc_interface {
 public:
  virtual void launch(std::uint32_t entry) = 0;
};

}  // namespace spica::protocol
