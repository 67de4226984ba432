// SPDX-License-Identifier: Apache-2.0
// Handshake between a core and its decoupled tensor core (vortex-hopper core/VX_tensor_hopper_core.sv; virgo
// core/TensorCoreDecoupled.scala): instructions with addresses go to the tensor core, accumulator rows go both ways.
#pragma once

#include <cstdint>
#include <systemc>

#include "models/base/types.h"
#include "models/protocol/payload/request_info.h"
#include "models/protocol/ports/tensor_if.h"

namespace spica::protocol {

/// One hgmma: C of warp origin.warp += A * B.
struct TileProduct {
  Origin origin;
  std::uint32_t a = 0,
                b = 0;  // offsets of the tiles in shared memory, in bytes; range and alignment are checked
  base::Cycle ready = 0;  // cycle in which it leaves the core's operand stage
};

/// Implemented by the tensor core; its core calls it through the `decoupled_tensor` port.
class DecoupledTensorIf : public virtual sc_core::sc_interface {
 public:
  /// Maximum number of instructions in flight per warp; the core enforces it.
  virtual unsigned most_in_flight() const = 0;
  /// True if an instruction of warp `warp` can be pushed.
  virtual bool room(unsigned warp) const = 0;
  virtual void push(const TileProduct& product) = 0;
};

/// Implemented by the core; the tensor core calls it through its `registers` port.
class TensorRegistersIf : public virtual sc_core::sc_interface {
 public:
  /// Reads floating-point register `f` of all lanes through the third read port of the register file. All instructions
  /// need this port, so none issues in this cycle.
  virtual void read_accumulator(unsigned warp, unsigned f, TensorRow& row) = 0;
  /// The first cycle without a read after one or more cycles with a read: instructions can issue again.
  virtual void on_port_free() = 0;
  /// Writes register `f` in all lanes. False: the warp's write-back port is taken, and the tensor core retries with the
  /// same row. `last`: this completes an instruction of the warp.
  virtual bool write_accumulator(unsigned warp, unsigned f, const TensorRow& row, bool last) = 0;
  /// The tensor core has started an instruction, which now counts as executed.
  virtual void on_begun(const Origin& origin) = 0;
  /// Warp `warp` can push an instruction again.
  virtual void on_room(unsigned warp) = 0;
};

}  // namespace spica::protocol
