// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/synchronous/tensor_core.h"

#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>
#include "models/base/hot_inline.h"

namespace spica::tensor_core {

TensorCore::TensorCore(const sc_core::sc_module_name& name, const TensorCoreParams& params,
                       const base::ClockDomain& clock)
    : Component(name, clock),
      micro_ops_(static_cast<unsigned>(params.warps), params.dispatch_depth, params.metadata_queue),
      pairs_(params.warp_fifo + params.result_fifo),
      hold_first_halves_(params.hold_first_halves),
      execute_register_(params.execute_register),
      warps_(static_cast<std::uint8_t>(params.warps)),
      operand_fifo_(static_cast<std::uint8_t>(params.operand_fifo)),
      warp_fifo_(static_cast<std::uint8_t>(params.warp_fifo)),
      result_fifo_(static_cast<std::uint8_t>(params.result_fifo)),
      pair_cycles_(static_cast<std::uint8_t>(params.pair_cycles)),
      latency_(static_cast<std::uint8_t>(params.latency)),
      macs_per_pair_(static_cast<std::uint16_t>(params.macs_per_pair())),
      arithmetic_(params),
      params_(params) {
  in.bind(*this);
}

void TensorCore::end_of_elaboration() { result_ = result.operator->(); }

void TensorCore::reset() {
  micro_ops_.clear();
  turn_ = 0;
  next_taken_ = false;
  pairs_.clear();
  inside_ = uncomputed_ = operands_ = pair_left_ = 0;
  stood_still_ = 0;
  charge(DotReason::kIdle, now());
}

void TensorCore::multiply(const protocol::TensorMicroOp& micro_op) {
  arithmetic_.multiply_pair(micro_op.step, micro_op.lanes, micro_op.rows);
}

void TensorCore::push(const protocol::TensorResult& micro_op, base::Cycle ready) {
  ++inside_;
  ++uncomputed_;
  wake_at(std::max(ready, now() + 1));
  micro_ops_.push(micro_op, ready);
}

// The stages are called once in each tick, which is called once for each micro-op: they become part of it.

SPICA_HOT_INLINE void TensorCore::write_back() {
  const protocol::TensorResult& row = pairs_.row();
  if (!result_->write_back(row)) {
    ++stats_.write_back_conflicts;
    return;
  }
  ++stats_.result_rows;
  if (row.last) ++stats_.instructions;
  micro_ops_.remove_oldest(row.warp);
  pairs_.drop_row();
  --inside_;
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
  if (--pair_left_ == 0) --operands_;
  return true;
}

SPICA_HOT_INLINE void TensorCore::accept(base::Cycle now, bool operands_full, bool metadata_full) {
  const std::uint32_t ready = micro_ops_.ready(now);
  if (ready == 0) return;  // all are still in the operand stage
  const std::uint32_t held = !operands_full ? 0 : hold_first_halves_ ? ready : micro_ops_.halves();
  const std::uint32_t candidates = ready & ~held;
  const unsigned warp = candidates != 0 ? first_from_turn(candidates) : 0;
  pass_turn();
  if (candidates == 0) {
    ++stats_.operand_full_cycles;
    return;
  }
  if (metadata_full) {
    ++stats_.metadata_full_cycles;
    return;
  }
  enter(take(warp, now, 0));
}

/// The same with an execute register. The turn passes in every cycle in which a micro-op waits behind it.
void TensorCore::accept_next(base::Cycle now, bool operands_full, bool metadata_full) {
  if (const std::uint32_t ready = micro_ops_.ready(now); ready != 0) {
    const unsigned warp = first_from_turn(ready);
    pass_turn();
    if (!next_taken_) next_ = take(warp, now, params_.dispatch_interval);
    next_taken_ = true;
  }
  if (!next_taken_) return;
  if (metadata_full) {
    ++stats_.metadata_full_cycles;
  } else if (operands_full && (hold_first_halves_ || (micro_ops_.halves() >> next_.warp & 1) != 0)) {
    ++stats_.operand_full_cycles;
  } else {
    enter(next_);
    next_taken_ = false;
  }
}

/// From the dispatch buffer of its warp, which may have room again.
SPICA_HOT_INLINE protocol::TensorResult TensorCore::take(unsigned warp, base::Cycle now,
                                                         base::Cycle interval) {
  const bool had_room = micro_ops_.room(warp);
  const protocol::TensorResult row = micro_ops_.take(warp, now, interval);
  if (!had_room) result_->on_room(warp, now);
  return row;
}

/// Into pair assembly; a second half completes a pair.
SPICA_HOT_INLINE void TensorCore::enter(const protocol::TensorResult& row) {
  micro_ops_.accept(row.warp);
  if ((micro_ops_.halves() >> row.warp & 1) != 0) return;
  pairs_.push(row);
  ++operands_;
}

/// Each stage sees what the cycle before has left. Room that a stage makes in this cycle is used in the next one: what
/// was full at the start counts.
void TensorCore::tick() {
  const base::Cycle now = this->now();
  const bool blocked = pairs_.done() == result_fifo_;
  const bool operands_full = operands_ == operand_fifo_ || pairs_.under_way() == warp_fifo_;
  const bool metadata_full = micro_ops_.metadata_full() != 0;
  if (!blocked && compute(now)) charge(DotReason::kComputing, now);
  else charge(blocked && pairs_.under_way() != 0 ? DotReason::kResultBlocked : reason_to_wait(), now);
  if (pairs_.done() != 0) write_back();
  if (blocked) ++stood_still_;
  else if (pairs_.computing() != 0 && pairs_.leaves() + stood_still_ <= now) pairs_.leave();
  if (execute_register_) accept_next(now, operands_full, metadata_full);
  else if (micro_ops_.waiting() != 0) accept(now, operands_full, metadata_full);

  if (operands_ != 0 || pairs_.done() != 0 || micro_ops_.waiting() != 0 || next_taken_) {
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
             operands_, pairs_.computing(), pairs_.done());
  for (unsigned warp = 0; warp < micro_ops_.warps(); ++warp) {
    if (micro_ops_.waiting(warp) + micro_ops_.accepted(warp) == 0) continue;
    fmt::print(out, "  warp {}: pc {:#010x}, {} dispatched, {} accepted\n", warp, micro_ops_.pc(warp),
               micro_ops_.waiting(warp), micro_ops_.accepted(warp));
  }
  if (next_taken_) fmt::print(out, "  next: a micro-op of warp {}\n", next_.warp);
}

}  // namespace spica::tensor_core
