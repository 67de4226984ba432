// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "models/base/component.h"
#include "models/protocol/ports/tensor_if.h"
#include "models/tensor_core/arithmetic.h"
#include "models/tensor_core/synchronous/micro_op_queues.h"
#include "models/tensor_core/synchronous/step_pairs.h"
#include "models/tensor_core/synchronous/tensor_core_stats.h"
#include "models/tensor_core/tensor_core_params.h"

namespace spica::tensor_core {

/// The tensor core of one SIMT core: eight dot-product units shared by its warps (vortex
/// core/VX_tensor_core.sv).
///
///   dispatch buffers (per warp) -> pair assembly (per warp) -> operand FIFO -> dot-product units
///     -> result FIFO -> write-back, one register row per cycle
///
/// Accepts  one micro-op per cycle. The warp with priority advances by one in every cycle in which a micro-op waits,
///          whether or not one is accepted, so that warps do not run in lockstep. The first half of a step pair waits
///          in its warp's assembly register; the second half completes the pair and needs room in the operand FIFO and
///          the warp FIFO. Nothing is accepted while the metadata queue of any warp is full. With an execute register, a
///          micro-op that cannot be accepted stays the next one, before those of all warps.
/// Timing   a pair enters the dot-product units in the cycle after its second half was accepted, at the earliest; it
///          occupies them for pair_cycles; the result reaches the result FIFO pair_cycles - 1 + latency cycles later,
///          and its write-back starts in the next cycle
/// Blocks   the whole dot-product pipeline stalls while the result FIFO is full
/// Values   are computed when the second half of a pair is pushed (TensorCoreIf)
/// Omits    32 lanes (two-level mapping); lane counts other than eight
class TensorCore final : public base::Component, public protocol::TensorCoreIf {
 public:
  TensorCore(const sc_core::sc_module_name& name, const TensorCoreParams& params,
             const base::ClockDomain& clock);

  sc_core::sc_export<protocol::TensorCoreIf> in{"in"};
  sc_core::sc_port<protocol::TensorResultIf> result{"result"};

  // protocol::TensorCoreIf
  bool room(unsigned warp) const override { return micro_ops_.room(warp); }
  void multiply(const protocol::TensorMicroOp& micro_op) override;
  void push(const protocol::TensorResult& micro_op, base::Cycle ready) override;

  void tick() override;
  void reset() override;
  bool idle() const override { return inside_ == 0; }
  TensorCoreStats& stats() override { return stats_; }
  const base::BlockType& type() const override { return block_type(); }
  static const base::BlockType& block_type();
  base::AreaTerms area() const override;
  base::Properties properties() const override;
  void dump_state(std::ostream& out) const override;
  bool timing(base::Checkpoint& checkpoint) override;
  bool works() const override { return !idle(); }

  const TensorCoreParams& params() const { return params_; }

 private:
  void end_of_elaboration() override;
  void write_back();
  bool compute(base::Cycle now);
  void accept(base::Cycle now, bool operands_full, bool metadata_full);
  void accept_next(base::Cycle now, bool operands_full, bool metadata_full);
  void enter(const protocol::TensorResult& row);
  protocol::TensorResult take(unsigned warp, base::Cycle now, base::Cycle interval);
  unsigned first_from_turn(std::uint32_t warps) const {
    const std::uint32_t ahead = warps >> turn_ << turn_;
    return static_cast<unsigned>(__builtin_ctz(ahead != 0 ? ahead : warps));
  }
  void pass_turn() { turn_ = turn_ + 1 == warps_ ? 0 : turn_ + 1; }
  DotReason reason_to_wait() const;
  void charge(DotReason reason, base::Cycle now) {
    if (stats_.dot_product.current() != static_cast<unsigned>(reason))
      stats_.dot_product.charge(static_cast<unsigned>(reason), now);
  }

  protocol::TensorResultIf* result_ = nullptr;  // target of `result`
  MicroOpQueues micro_ops_;
  StepPairs pairs_;
  base::Cycle stood_still_ = 0;  // cycles lost by the pipeline so far
  std::uint32_t inside_ = 0;  // micro-ops from push to write-back
  std::uint32_t uncomputed_ = 0;  // micro-ops that have not entered the units
  std::uint32_t operands_ = 0;  // pairs in the operand FIFO, until the units have taken all of them
  std::uint32_t pair_left_ = 0;  // remaining cycles of the units for their current pair
  std::uint32_t turn_ = 0;  // warp with priority
  bool next_taken_ = false;  // the execute register holds a micro-op
  protocol::TensorResult next_;  // the micro-op in the execute register
  // Members of params_ that a tick needs.
  const bool hold_first_halves_, execute_register_;
  const std::uint8_t warps_, operand_fifo_, warp_fifo_, result_fifo_, pair_cycles_, latency_;
  const std::uint16_t macs_per_pair_;
  const Arithmetic arithmetic_;
  const TensorCoreParams params_;
  TensorCoreStats stats_;
};

}  // namespace spica::tensor_core
