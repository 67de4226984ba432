// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "models/protocol/tensor_if.h"
#include "models/simt_core/pipeline/units/execution_unit.h"
#include "models/simt_core/pipeline/units/tensor_sequencer.h"

namespace spica::simt_core {

/// The way to the tensor core inside the core: wmma.
///
/// Issue    micro-ops, one per cycle and warp, each when the scoreboard is free of its rows and the tensor core has room.
///          Operands of all lanes count, active or not; results go to the active lanes
/// Source   vortex core/VX_uop_sequencer.sv, core/VX_tensor_core.sv
class TensorUnit final : public ExecutionUnit, public protocol::TensorResultIf {
 public:
  using ExecutionUnit::ExecutionUnit;
  /// Before the run; without it wmma is illegal.
  void connect(protocol::TensorCoreIf& tensor) { tensor_ = &tensor; }

  bool offer(const Candidate& c) override;
  void tick(base::Cycle) override {}
  bool done() const override { return rows_ == 0; }
  void reset() override;

  // protocol::TensorResultIf
  bool write_back(const protocol::TensorResult& row) override;
  void on_room(unsigned warp) override;

 private:
  bool waits(unsigned w, const TensorSequencer::MicroOp& next);
  void push(const Candidate& c, const TensorSequencer::MicroOp& next);
  void count(const Candidate& c, bool last);

  protocol::TensorCoreIf* tensor_ = nullptr;
  std::uint32_t full_ = 0;  // warps: the tensor core has no room for another micro-op
  unsigned rows_ = 0;  // micro-ops issued and not yet written back
  std::array<TensorSequencer, 32> sequencers_;  // by warp: of the instruction at the head of the buffer
};

}  // namespace spica::simt_core
