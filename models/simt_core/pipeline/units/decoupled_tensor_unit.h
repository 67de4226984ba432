// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "models/base/bounded_queue.h"
#include "models/protocol/decoupled_tensor_if.h"
#include "models/simt_core/pipeline/units/execution_unit.h"

namespace spica::simt_core {

/// The way to the decoupled tensor core beside the core: hgmma, hgmma_wait, and the accumulator rows that pass through
/// the ports of the register file. In cycles in which that core reads accumulators nothing issues.
///
/// Source   vortex-hopper core/VX_tensor_hopper_core.sv
class DecoupledTensorUnit final : public ExecutionUnit, public protocol::TensorRegistersIf {
 public:
  DecoupledTensorUnit(const Stages& stages, Agenda& agenda, unsigned number)
      : ExecutionUnit(stages, agenda, number), last_rows_(stages.core.params.commit_latency + 2) {}
  /// Before the run; without it its instructions are illegal.
  void connect(protocol::DecoupledTensorIf& tensor) {
    tensor_ = &tensor;
    stages_.core.decoupled_tensor = true;
  }

  bool offer(const Candidate& c) override;
  void tick(base::Cycle now) override;
  bool done() const override { return last_rows_.empty(); }
  void reset() override;
  void timing(base::Checkpoint& checkpoint) override;

  // protocol::TensorRegistersIf
  void read_accumulator(unsigned warp, unsigned f, protocol::TensorRow& row) override;
  void on_port_free() override { stages_.core.core.wake_now(); }
  bool write_accumulator(unsigned warp, unsigned f, const protocol::TensorRow& row, bool last) override;
  void on_begun(const protocol::Origin& origin) override { stages_.commit.complete_product(origin); }
  void on_room(unsigned warp) override;

 private:
  bool offer_product(const Candidate& c);
  bool wait_for(unsigned w, IssueReason reason) {
    stages_.scoreboard.block(w, reason);
    return false;
  }

  struct LastRow {
    unsigned warp = 0;
    base::Cycle due = 0;
  };
  protocol::DecoupledTensorIf* tensor_ = nullptr;
  std::array<std::uint8_t, 32> products_{};  // by warp: hgmma whose results are not all written
  base::BoundedQueue<LastRow> last_rows_;  // of these, on their way through the write-back port
};

}  // namespace spica::simt_core
