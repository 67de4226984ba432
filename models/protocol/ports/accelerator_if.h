// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "models/protocol/payload/request_info.h"

namespace spica::protocol {

/// The side channel behind CSR 0xACC (virgo tile/AccNode.scala): command words to the matrix units
/// of a cluster, and their busy bits. Implemented by the accelerator node of the cluster, called by
/// the cores.
class AcceleratorIf : public virtual sc_core::sc_interface {
 public:
  /// Writes a command word of core `core`: bits 7:5 select the unit, bits 4:0 the operation. If several cores write to
  /// one unit in one cycle, the lowest-numbered core wins and the other commands are lost.
  virtual void command(unsigned core, std::uint32_t word, const Origin& origin) = 0;
  /// OR of the busy bits of all units, registered (one cycle old).
  virtual std::uint32_t busy() const = 0;
};

}  // namespace spica::protocol
