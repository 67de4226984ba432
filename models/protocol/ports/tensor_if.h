// SPDX-License-Identifier: Apache-2.0
// Handshake between a core and the tensor core inside it (vortex core/VX_tensor_core.sv,
// fpu/VX_tensor_dpu.sv).
#pragma once

#include <array>
#include <cstdint>
#include <systemc>

#include "models/base/objects.h"
#include "models/base/types.h"
#include "models/protocol/payload/tensor_shape.h"

namespace spica::protocol {

using TensorRow = std::array<std::uint32_t, kTensorLanes>;

/// The register rows of a step pair: operands, and the accumulators, which become the results. Each pointer names the
/// row of the first half, 32-byte aligned; the row of the second half follows kTensorLanes words later.
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

/// Names one result row of a tensor instruction. Kept small because a tensor core stores many.
struct TensorResult {
  std::uint32_t pc = 0;
  std::uint8_t warp = 0;
  std::uint8_t lanes = 0;  // active lanes: their result is written
  std::uint8_t result = 0;  // destination register row
  bool last = false;  // last row of its instruction
};

/// One micro-op of a tensor instruction: half of a step pair. The halves of a pair are consecutive, and their results
/// are neighbouring rows. The micro-ops of a warp stay in order.
struct TensorMicroOp : TensorResult {
  std::uint8_t step = 0;  // part of the 8x8 result, 0..3
  std::uint8_t substep = 0;  // 0: first half of the pair, 1: second
  TensorPair rows;  // second half only

  template <class Archive>
  void serialize(Archive& archive) {
    archive(static_cast<TensorResult&>(*this), step, substep, rows);
  }
};

/// Implemented by the tensor core; its core calls it through the `tensor` port.
class TensorCoreIf : public virtual sc_core::sc_interface {
 public:
  /// True if a micro-op of warp `warp` can be pushed.
  virtual bool room(unsigned warp) const = 0;
  /// Replaces the active lanes of both accumulator rows of a pair by the results, as an ALU does at issue; for the second
  /// half. The results are not used before write_back(), and a and b have the values they had at the first half.
  virtual void multiply(const TensorMicroOp& micro_op) = 0;
  /// Takes the next micro-op of its warp, from cycle `ready` on; requires room().
  virtual void push(const TensorResult& micro_op, base::Cycle ready) = 0;
};

/// Implemented by the core; the tensor core calls it through its `result` port.
class TensorResultIf : public virtual sc_core::sc_interface {
 public:
  /// A result row leaves the tensor core in this cycle. False: the warp's write-back port is taken, and the tensor core
  /// retries with the same row.
  virtual bool write_back(const TensorResult& row) = 0;
  /// Warp `warp` can push a micro-op again: the last one is taken in cycle `now`.
  virtual void on_room(unsigned warp, base::Cycle now) = 0;
};

}  // namespace spica::protocol
