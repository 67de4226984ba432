// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "models/base/bounded_queue.h"
#include "models/protocol/ports/decoupled_tensor_if.h"
#include "models/simt_core/pipeline/units/tensor_unit.h"

namespace spica::tensor_core {

/// The core's unit for the decoupled tensor core: hgmma, hgmma_wait, and the accumulator rows that pass through the
/// ports of the register file. Nothing issues in cycles in which the tensor core reads accumulators.
///
/// Source   vortex-hopper core/VX_tensor_hopper_core.sv
class HgmmaUnit final : public simt_core::TensorUnit, public protocol::TensorRegistersIf {
 public:
  explicit HgmmaUnit(const simt_core::TensorSite& site);
  sc_core::sc_port<protocol::DecoupledTensorIf> tensor{"decoupled_tensor"};
  sc_core::sc_export<protocol::TensorRegistersIf> tensor_registers{"tensor_registers"};
  void connect() override { tensor_ = tensor.operator->(); }

  bool offer(const simt_core::Candidate& c) override;
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
  bool offer_product(const simt_core::Candidate& c);
  bool wait_for(unsigned w, simt_core::IssueReason reason) {
    stages_.scoreboard.block(w, reason);
    return false;
  }

  struct LastRow {
    unsigned warp = 0;
    base::Cycle due = 0;
  };
  protocol::DecoupledTensorIf* tensor_ = nullptr;
  std::array<std::uint8_t, 32> products_{};  // by warp: hgmma whose results are not all written
  base::BoundedQueue<LastRow> last_rows_;  // last rows of these that are passing through the write-back port
};

}  // namespace spica::tensor_core
