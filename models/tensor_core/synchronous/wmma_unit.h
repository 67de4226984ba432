// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "models/protocol/ports/tensor_if.h"
#include "models/simt_core/pipeline/units/operand_stage.h"
#include "models/simt_core/pipeline/units/tensor_unit.h"
#include "models/tensor_core/synchronous/wmma_micro_ops.h"

namespace spica::tensor_core {

/// The core's unit for the synchronous tensor core: wmma.
///
/// Issue    micro-ops, one per cycle and warp, each when the scoreboard has its rows free and the tensor core has room.
///          They reach the tensor core through the operand stage of their warp, where later instructions wait behind
///          them, or through one of their own. Operands of all lanes are used, active or
///          not; results go to the active lanes
/// Source   vortex core/VX_uop_sequencer.sv, core/VX_tensor_core.sv
class WmmaUnit final : public simt_core::TensorUnit,
                       public protocol::TensorResultIf,
                       public simt_core::LineEnd {
 public:
  explicit WmmaUnit(const simt_core::TensorSite& site);
  sc_core::sc_port<protocol::TensorCoreIf> tensor{"tensor"};
  sc_core::sc_export<protocol::TensorResultIf> tensor_result{"tensor_result"};
  void connect() override { tensor_ = tensor.operator->(); }

  bool offer(const simt_core::Candidate& c) override;
  /// Issues another micro-op of the started wmma of warp `w`.
  bool resume(unsigned w, base::Cycle now) override;
  bool done() const override { return rows_ == 0; }
  void reset() override;
  void add_to(base::Checkpoint& checkpoint) override;
  void timing(base::Checkpoint& checkpoint) override;

  // protocol::TensorResultIf
  bool write_back(const protocol::TensorResult& row) override;
  void on_room(unsigned warp, base::Cycle now) override;
  // simt_core::LineEnd
  bool free(unsigned warp) const override { return tensor_->room(warp); }
  base::Cycle next(unsigned warp) const override { return operands_.next(warp); }
  void enter(unsigned warp, const simt_core::Dispatched& entry) override;

 private:
  /// The instruction at the head of a warp's buffer.
  struct Wmma {
    const WmmaMicroOp* next = nullptr;
    const simt_core::Decoded* instruction = nullptr;
    std::uint32_t mask = 0;  // active lanes
    unsigned lanes = 0;  // their number
    protocol::TensorMicroOp micro_op;  // the last micro-op, with the members that all have in common
  };
  bool waits(unsigned w, const WmmaMicroOp& next, base::Cycle now);
  bool has_room(unsigned w, base::Cycle now);
  void push(unsigned w, Wmma& wmma, base::Cycle now);
  bool issue_micro_op(unsigned w, base::Cycle now);
  void notify_micro_op(unsigned w, const Wmma& wmma, base::Cycle now) const;

  simt_core::OperandStage operands_;
  const bool own_operands_;  // an operand stage of its own: the tensor core has room for all micro-ops in it
  protocol::TensorCoreIf* tensor_ = nullptr;
  unsigned rows_ = 0;  // micro-ops issued and not yet written back
  std::array<Wmma, 32> wmmas_;  // by warp
};

}  // namespace spica::tensor_core
