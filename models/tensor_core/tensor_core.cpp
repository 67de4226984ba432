// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/tensor_core.h"

#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>
#include "models/base/hot_inline.h"

namespace spica::tensor_core {

TensorCore::TensorCore(const sc_core::sc_module_name& name, const TensorCoreParams& params,
                       const base::ClockDomain& clock)
    : Component(name, clock),
      rings_(static_cast<unsigned>(params.warps), static_cast<unsigned>(params.dispatch_depth),
             static_cast<unsigned>(params.metadata_queue)),
      pairs_(params.warp_fifo + params.result_fifo),
      hold_first_halves_(params.hold_first_halves),
      warps_(static_cast<std::uint8_t>(params.warps)),
      operand_fifo_(static_cast<std::uint8_t>(params.operand_fifo)),
      warp_fifo_(static_cast<std::uint8_t>(params.warp_fifo)),
      result_fifo_(static_cast<std::uint8_t>(params.result_fifo)),
      pair_cycles_(static_cast<std::uint8_t>(params.pair_cycles)),
      latency_(static_cast<std::uint8_t>(params.latency)),
      macs_per_pair_(static_cast<std::uint8_t>(params.macs_per_pair())),
      arithmetic_(params),
      first_halves_(params.warps),
      params_(params) {
  in.bind(*this);
}

void TensorCore::end_of_elaboration() { result_ = result.operator->(); }

void TensorCore::reset() {
  rings_.clear();
  turn_ = 0;
  pairs_.clear();
  inside_ = uncomputed_ = pair_left_ = 0;
  stood_still_ = 0;
  second_row_ = false;
  charge(DotReason::kIdle, now());
}

bool TensorCore::push(const protocol::TensorMicroOp& micro_op) {
  const unsigned warp = micro_op.warp;
  if (micro_op.substep == 0) first_halves_[warp] = micro_op;
  else arithmetic_.multiply_pair(micro_op.step, micro_op.lanes, first_halves_[warp], micro_op);
  rings_.push(warp, micro_op);
  ++inside_;
  ++uncomputed_;
  wake_at(std::max(micro_op.ready, now() + 1));
  return rings_.room(warp);
}

// The stages are called once in each tick, which is called once for each micro-op: they become part of it.

SPICA_HOT_INLINE void TensorCore::write_back() {
  const unsigned warp = pairs_.warp();
  const protocol::TensorResult& row = rings_.oldest(warp);
  if (!result_->write_back(row)) {
    ++stats_.write_back_conflicts;
    return;
  }
  ++stats_.result_rows;
  if (row.last) ++stats_.instructions;
  rings_.remove_oldest(warp);
  --inside_;
  if (second_row_) pairs_.drop();
  second_row_ = !second_row_;
}

/// True when a pair, or a later part of one, enters the dot-product units.
SPICA_HOT_INLINE bool TensorCore::compute(base::Cycle now) {
  if (pair_left_ == 0) {
    if (pairs_.waiting() == 0) return false;
    uncomputed_ -= 2;
    ++stats_.step_pairs;
    stats_.macs += macs_per_pair_;
    pair_left_ = pair_cycles_;
    pairs_.enter(now - stood_still_ + pair_cycles_ - 1 + latency_);
  }
  --pair_left_;
  return true;
}

SPICA_HOT_INLINE void TensorCore::accept(base::Cycle now, bool operands_full, bool metadata_full) {
  const std::uint32_t held = !operands_full ? 0 : hold_first_halves_ ? ~std::uint32_t{0} : rings_.halves();
  const unsigned first = turn_;
  const unsigned warp = rings_.next_ready(now, ~held, first);
  if (warp == MicroOpRings::kNone &&
      (held == 0 || rings_.next_ready(now, held, first) == MicroOpRings::kNone))
    return;  // all are still in the operand stage
  turn_ = turn_ + 1 == warps_ ? 0 : turn_ + 1;
  if (warp == MicroOpRings::kNone) {
    ++stats_.operand_full_cycles;
    return;
  }
  if (metadata_full) {
    ++stats_.metadata_full_cycles;
    return;
  }
  const bool had_room = rings_.room(warp);
  if (rings_.accept(warp)) pairs_.push(warp);
  if (!had_room) result_->on_room(warp);
}

/// From the exit to the entrance, so that each stage sees what the cycle before has left. Room that a
/// stage makes in this cycle is used in the next one: what was full at the start counts.
void TensorCore::tick() {
  const base::Cycle now = this->now();
  const bool blocked = pairs_.done() == result_fifo_;
  const bool operands_full = operands() == operand_fifo_ || pairs_.under_way() == warp_fifo_;
  const bool metadata_full = rings_.metadata_full() != 0;
  DotReason reason = reason_to_wait();
  if (pairs_.done() != 0) write_back();
  if (blocked) {
    ++stood_still_;
    if (pairs_.under_way() != 0) reason = DotReason::kResultBlocked;
  } else {
    if (pairs_.computing() != 0 && pairs_.leaves() + stood_still_ <= now) pairs_.leave();
    if (compute(now)) reason = DotReason::kComputing;
  }
  if (rings_.dispatched() != 0) accept(now, operands_full, metadata_full);
  charge(reason, now);

  if (operands() != 0 || pairs_.done() != 0 || rings_.dispatched() != 0) {
    wake_next();
    return;
  }
  if (pairs_.computing() != 0) wake_at(pairs_.leaves() + stood_still_);
  charge(reason_to_wait(), now + 1);
}

DotReason TensorCore::reason_to_wait() const {
  if (inside_ == 0) return DotReason::kIdle;
  return uncomputed_ != 0 ? DotReason::kWaitingOperands : DotReason::kDraining;
}

void TensorCore::dump_state(std::ostream& out) const {
  fmt::print(out, "{}: {} micro-ops; pairs: {} with operands, {} computing, {} done\n", name(), inside_,
             operands(), pairs_.computing(), pairs_.done());
  for (unsigned warp = 0; warp < rings_.warps(); ++warp) {
    if (rings_.waiting(warp) + rings_.accepted(warp) == 0) continue;
    fmt::print(out, "  warp {}: pc {:#010x}, {} dispatched, {} accepted\n", warp, rings_.oldest(warp).pc,
               rings_.waiting(warp), rings_.accepted(warp));
  }
}

}  // namespace spica::tensor_core
