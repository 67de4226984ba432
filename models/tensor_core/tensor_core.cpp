// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/tensor_core.h"

#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>

namespace spica::tensor_core {

TensorCore::TensorCore(const sc_core::sc_module_name& name, const TensorCoreParams& params,
                       const base::ClockDomain& clock)
    : Component(name, clock),
      params_(params),
      kernels_(dot_product_kernels(params.operand)),
      rings_(static_cast<unsigned>(params.warps), static_cast<unsigned>(params.dispatch_depth),
             static_cast<unsigned>(params.metadata_queue)),
      operands_(params.operand_fifo),
      pipeline_(params.warp_fifo),
      results_(params.result_fifo) {
  in.bind(*this);
}

void TensorCore::reset() {
  rings_.clear();
  turn_ = 0;
  operands_.clear();
  pipeline_.clear();
  results_.clear();
  pairs_inside_ = inside_ = uncomputed_ = 0;
  pair_left_ = stood_still_ = 0;
  second_row_ = false;
  stats_.dot_product.charge(static_cast<unsigned>(DotReason::kIdle), now());
}

void TensorCore::push(const protocol::TensorMicroOp& micro_op) {
  rings_.push(micro_op.origin.warp, micro_op);
  ++inside_;
  ++uncomputed_;
  wake_at(std::max(micro_op.ready, now() + 1));
}

/// From the exit to the entrance, so that each stage sees what the cycle before has left. Room that a
/// stage makes in this cycle is used in the next one: what was full at the start counts.
void TensorCore::tick() {
  const bool blocked = results_.full();
  const bool operands_full = operands_.full() || pairs_inside_ == params_.warp_fifo;
  const bool metadata_full = rings_.metadata_full() != 0;
  DotReason reason = reason_to_wait();
  if (!results_.empty()) write_back();
  if (blocked) {
    ++stood_still_;
    if (!pipeline_.empty() || !operands_.empty()) reason = DotReason::kResultBlocked;
  } else {
    leave_pipeline();
    if (compute()) reason = DotReason::kComputing;
  }
  if (rings_.dispatched() != 0) accept(operands_full, metadata_full);
  stats_.dot_product.charge(static_cast<unsigned>(reason), now());

  if (!operands_.empty() || !results_.empty() || rings_.dispatched() != 0) {
    wake_next();
    return;
  }
  if (!pipeline_.empty()) wake_at(pipeline_.front().done + stood_still_);
  stats_.dot_product.charge(static_cast<unsigned>(reason_to_wait()), now() + 1);
}

void TensorCore::write_back() {
  const unsigned warp = results_.front();
  const protocol::TensorMicroOp& row = rings_.oldest(warp);
  if (!result->write_back(row)) {
    ++stats_.write_back_conflicts;
    return;
  }
  ++stats_.result_rows;
  if (row.last) ++stats_.instructions;
  rings_.remove_oldest(warp);
  --inside_;
  if (second_row_) results_.pop();
  second_row_ = !second_row_;
}

void TensorCore::leave_pipeline() {
  if (pipeline_.empty() || pipeline_.front().done + stood_still_ > now()) return;
  results_.push(pipeline_.pop().warp);
  --pairs_inside_;
}

/// True when a pair, or a later part of one, enters the dot-product units.
bool TensorCore::compute() {
  if (pair_left_ == 0) {
    if (operands_.empty()) return false;
    const std::uint8_t warp = operands_.front();
    const MicroOpRings::Pair pair = rings_.next_to_compute(warp);
    protocol::TensorMicroOp &first = pair.first, &second = pair.second;
    kernels_.step[first.step](first.a.data(), second.a.data(), first.b.data(), second.b.data(),
                              first.c.data(), second.c.data());
    uncomputed_ -= 2;
    ++stats_.step_pairs;
    stats_.macs += params_.macs_per_pair();
    pair_left_ = params_.pair_cycles;
    pipeline_.push({warp, now() - stood_still_ + params_.pair_cycles - 1 + params_.latency});
  }
  if (--pair_left_ == 0) operands_.pop();
  return true;
}

void TensorCore::accept(bool operands_full, bool metadata_full) {
  const std::uint32_t held =
      !operands_full ? 0 : params_.hold_first_halves ? ~std::uint32_t{0} : rings_.halves();
  const unsigned first = turn_;
  const unsigned warp = rings_.next_ready(now(), ~held, first);
  if (warp == MicroOpRings::kNone && (held == 0 || rings_.next_ready(now(), held, first) == MicroOpRings::kNone))
    return;  // all are still in the operand stage
  turn_ = turn_ + 1 == params_.warps ? 0 : turn_ + 1;
  if (warp == MicroOpRings::kNone) {
    ++stats_.operand_full_cycles;
    return;
  }
  if (metadata_full) {
    ++stats_.metadata_full_cycles;
    return;
  }
  const bool had_room = rings_.room(warp);
  if (rings_.accept(warp)) {
    operands_.push(static_cast<std::uint8_t>(warp));
    ++pairs_inside_;
  }
  if (!had_room) result->on_room(warp);
}

DotReason TensorCore::reason_to_wait() const {
  if (inside_ == 0) return DotReason::kIdle;
  return uncomputed_ != 0 ? DotReason::kWaitingOperands : DotReason::kDraining;
}

void TensorCore::dump_state(std::ostream& out) const {
  fmt::print(out, "{}: {} micro-ops; pairs: {} with operands, {} computing, {} done\n", name(),
             inside_, operands_.size(), pipeline_.size(), results_.size());
  for (unsigned warp = 0; warp < rings_.warps(); ++warp) {
    if (rings_.waiting(warp) + rings_.accepted(warp) == 0) continue;
    fmt::print(out, "  warp {}: pc {:#010x}, {} dispatched, {} accepted\n", warp,
               rings_.oldest(warp).origin.pc, rings_.waiting(warp), rings_.accepted(warp));
  }
}

}  // namespace spica::tensor_core
