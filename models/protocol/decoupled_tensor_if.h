// SPDX-License-Identifier: Apache-2.0
// Handshake between a core and its decoupled tensor core (vortex-hopper
// core/VX_tensor_hopper_core.sv; virgo core/TensorCoreDecoupled.scala): instructions go one way
// with addresses only, accumulator rows both ways.
#pragma once

#include <cstdint>
#include <systemc>

#include "models/base/types.h"
#include "models/protocol/request_info.h"
#include "models/protocol/tensor_if.h"

namespace spica::protocol {

/// One hgmma: C of warp origin.warp += A * B.
struct TileProduct {
  Origin origin;
  std::uint32_t a = 0, b = 0;  // first bytes of the tiles, offsets in shared memory; checked
  base::Cycle ready = 0;       // leaves the core's operand stage
};

/// Implemented by the tensor core; its core calls it through the `decoupled_tensor` port.
class DecoupledTensorIf : public virtual sc_core::sc_interface {
 public:
  /// Instructions that one warp may have under way; the core counts them.
  virtual unsigned most_in_flight() const = 0;
  /// An instruction of warp `warp` can be pushed.
  virtual bool room(unsigned warp) const = 0;
  virtual void push(const TileProduct& product) = 0;
};

/// Implemented by the core; the tensor core calls it through its `registers` port.
class TensorRegistersIf : public virtual sc_core::sc_interface {
 public:
  /// Reads floating-point register `f` of all lanes through the third read port of the register file,
  /// which the instructions of all warps need: none of them issues in this cycle.
  virtual void read_accumulator(unsigned warp, unsigned f, TensorRow& row) = 0;
  /// The first cycle without a read behind one or more with a read: instructions can issue again.
  virtual void on_port_free() = 0;
  /// Writes register `f` in all lanes. False: the warp's write-back port is taken; the tensor core keeps
  /// the row and tries again. `last`: an instruction of the warp is done.
  virtual bool write_accumulator(unsigned warp, unsigned f, const TensorRow& row, bool last) = 0;
  /// The tensor core has begun with an instruction, which now counts as executed.
  virtual void on_begun(const Origin& origin) = 0;
  /// Warp `warp` has room again.
  virtual void on_room(unsigned warp) = 0;
};

}  // namespace spica::protocol
