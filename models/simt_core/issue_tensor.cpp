// SPDX-License-Identifier: Apache-2.0
// Issue of tensor instructions, micro-op by micro-op, and the write-back of their results.
#include <cstring>

#include "models/simt_core/simt_core.h"

namespace spica::simt_core {

/// Issues the next micro-op of warp `w`'s tensor instruction. True: it was the last one.
bool SimtCore::try_issue_tensor(unsigned w, const Fetched& fetched) {
  if (tensor_ == nullptr) {
    report(no_tensor_core(*fetched.instruction, decoupled_tensor_ != nullptr), w, fetched);
    return false;
  }
  Warp& warp = warps_[w];
  const auto next = warp.sequencer.next(static_cast<unsigned>(fetched.instruction->imm));
  const std::uint64_t hazards = next.reads() & warp.pending_rows;
  if (hazards != 0) {
    blocked_ |= 1u << w;
    warp.waits_for = warp.producer[static_cast<unsigned>(__builtin_ctzll(hazards))];
    return false;
  }
  if (!tensor_->room(w)) {
    blocked_ |= 1u << w;  // until on_room()
    warp.waits_for = IssueReason::kUnitBusy;
    return false;
  }

  protocol::TensorMicroOp micro_op;
  std::memcpy(micro_op.a.data(), warp.registers.row(next.a), sizeof micro_op.a);
  std::memcpy(micro_op.b.data(), warp.registers.row(next.b), sizeof micro_op.b);
  std::memcpy(micro_op.c.data(), warp.registers.row(next.c), sizeof micro_op.c);
  const std::uint32_t mask = warp.simt.mask();
  micro_op.origin = origin(w, fetched.pc, mask);
  micro_op.ready = now() + params_.operand_latency;
  micro_op.step = next.step;
  micro_op.substep = next.substep;
  micro_op.result = next.c;
  micro_op.last = next.last;
  tensor_->push(micro_op);

  warp.sequencer.advance();
  warp.pending_rows |= std::uint64_t{1} << next.c;
  warp.producer[next.c] = IssueReason::kTensor;
  warp.issue_pc = fetched.pc;
  ++warp.in_flight;
  ++tensor_rows_;
  issued_ = true;
  ++stats_.issues;
  ++stats_.dispatches;
  ++stats_.tensor_micro_ops;
  stats_.register_reads += 3;
  ++stats_.register_writes;
  if (profile_ != nullptr)
    profile_->issued_micro_op(fetched.pc, *fetched.instruction, next.last, count_bits(mask));
  if (!next.last) return false;
  ++stats_.warp_instructions;
  stats_.thread_instructions += count_bits(mask);
  ++stats_.tensor;
  if (probe_ != nullptr) tell_issue(w, fetched, mask);
  return true;
}

bool SimtCore::write_back(const protocol::TensorMicroOp& micro_op) {
  const unsigned w = micro_op.origin.warp;
  Warp& warp = warps_[w];
  const base::Cycle due = now() + params_.commit_latency;
  if (!warp.take_write_back(due)) return false;
  std::uint32_t* row = warp.registers.row(micro_op.result);
  const std::uint32_t lanes = micro_op.origin.lanes;
  if (lanes == (1u << protocol::kTensorLanes) - 1) {
    std::memcpy(row, micro_op.c.data(), sizeof micro_op.c);
  } else {
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
      row[__builtin_ctz(rest)] = micro_op.c[static_cast<unsigned>(__builtin_ctz(rest))];
  }
  --tensor_rows_;
  // Only the last micro-op counts as an instruction.
  const auto counted = micro_op.last ? static_cast<std::uint8_t>(count_bits(lanes)) : std::uint8_t{0};
  const Completion completion{static_cast<std::uint8_t>(w), false, counted, micro_op.origin.pc,
                              std::uint64_t{1} << micro_op.result};
  if (due == now()) commit(completion);
  else completions_.schedule(now(), due, completion);
  wake_at(due);
  return true;
}

void SimtCore::on_room(unsigned w) {
  blocked_ &= ~(1u << w);
  wake_now();
}

}  // namespace spica::simt_core
