// SPDX-License-Identifier: Apache-2.0
// Handshake between a core and the tensor core inside it (vortex core/VX_tensor_core.sv,
// fpu/VX_tensor_dpu.sv).
#pragma once

#include <array>
#include <cstdint>
#include <systemc>

#include "models/base/objects.h"
#include "models/base/types.h"
#include "models/protocol/tensor_shape.h"

namespace spica::protocol {

using TensorRow = std::array<std::uint32_t, kTensorLanes>;

/// The register rows of a step pair: operands, and the accumulators, which become the results. Each names the row of
/// the first half, 32-byte aligned; that of the second one follows it, kTensorLanes words later.
struct TensorPair {
  const std::uint32_t* a = nullptr;
  const std::uint32_t* b = nullptr;
  std::uint32_t* c = nullptr;

  template <class Archive>
  void serialize(Archive& archive) {
    base::point<const std::uint32_t>(archive, a);
    base::point<const std::uint32_t>(archive, b);
    base::point<std::uint32_t>(archive, c);
  }
};

/// Names one register row of results of a tensor instruction. Small: a tensor core has many inside.
struct TensorResult {
  std::uint32_t pc = 0;
  std::uint8_t warp = 0;
  std::uint8_t lanes = 0;  // active ones: their result is written
  std::uint8_t result = 0;  // register row that the result goes to
  bool last = false;  // of its instruction
};

/// One micro-op of a tensor instruction: half of a step pair. The halves of a pair follow one another, and their
/// results are neighbouring rows; the micro-ops of a warp stay in order.
struct TensorMicroOp : TensorResult {
  std::uint8_t step = 0;  // which part of the 8x8 result, 0..3
  std::uint8_t substep = 0;  // 0: first half of the pair, 1: second
  base::Cycle ready = 0;  // leaves the core's operand stage
  TensorPair rows;  // of the second half only

  template <class Archive>
  void serialize(Archive& archive) {
    archive(static_cast<TensorResult&>(*this), step, substep, ready, rows);
  }
};

/// Implemented by the tensor core; its core calls it through the `tensor` port.
class TensorCoreIf : public virtual sc_core::sc_interface {
 public:
  /// A micro-op of warp `warp` can be pushed.
  virtual bool room(unsigned warp) const = 0;
  /// Takes the next micro-op of its warp; only with room. True: there is room for another one.
  ///
  /// With the second half of a pair the active lanes of both accumulator rows change to the results, as an
  /// ALU's do at issue: they are not used before write_back(), and until then a and b are what they were
  /// when the first half was pushed. The micro-op itself need not live on.
  virtual bool push(const TensorMicroOp& micro_op) = 0;
};

/// Implemented by the core; the tensor core calls it through its `result` port.
class TensorResultIf : public virtual sc_core::sc_interface {
 public:
  /// A row of results leaves the tensor core in this cycle. False: the warp's write-back port is taken; the
  /// tensor core keeps the result and tries again.
  virtual bool write_back(const TensorResult& row) = 0;
  /// Warp `warp` has room again.
  virtual void on_room(unsigned warp) = 0;
};

}  // namespace spica::protocol
