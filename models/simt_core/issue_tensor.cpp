// SPDX-License-Identifier: Apache-2.0
// Issue of tensor instructions, micro-op by micro-op, and the write-back of their results.
#include "models/simt_core/simt_core.h"

namespace spica::simt_core {

/// Issues the next micro-op of warp `w`'s tensor instruction. True: it was the last one.
bool SimtCore::try_issue_tensor(unsigned w, const Fetched& fetched) {
  if (tensor_ == nullptr) {
    refused(executor_.refuse(no_tensor_core(), at(w, fetched.pc), *fetched.instruction), w, fetched.pc);
    return false;
  }
  Warp& warp = warps_[w];
  const auto next = warp.sequencer.next(static_cast<unsigned>(fetched.instruction->imm));
  if (tensor_waits(w, next)) return false;

  const std::uint32_t mask = state_[w].simt.mask();
  protocol::TensorMicroOp micro_op;
  micro_op.pc = fetched.pc;
  micro_op.warp = static_cast<std::uint8_t>(w);
  micro_op.lanes = static_cast<std::uint8_t>(mask);
  micro_op.result = next.c;
  micro_op.last = next.last;
  micro_op.step = next.step;
  micro_op.substep = next.substep;
  micro_op.ready = now() + params_.operand_latency;
  isa::RegisterFile& registers = state_[w].registers;
  micro_op.a = registers.row(next.a);
  micro_op.b = registers.row(next.b);
  micro_op.c = registers.row(next.c);
  if (!tensor_->push(micro_op)) tensor_full_ |= 1u << w;

  warp.sequencer.advance();
  scoreboard_.issue(w, std::uint64_t{1} << next.c);
  scoreboard_.produce(w, next.c, IssueReason::kTensor);
  account_.issue(w, fetched.pc);
  ++tensor_rows_;
  ++stats_.issues;
  ++stats_.dispatches;
  ++stats_.tensor_micro_ops;
  stats_.register_reads += 3;
  ++stats_.register_writes;
  if (profile_ != nullptr)
    profile_->issued_micro_op(fetched.pc, *fetched.instruction, next.last, base::count_bits(mask));
  if (!next.last) {
    // What holds the next one back is known already: that spares the attempt in the next cycle.
    tensor_waits(w, warp.sequencer.next(static_cast<unsigned>(fetched.instruction->imm)));
    return false;
  }
  ++stats_.warp_instructions;
  stats_.thread_instructions += base::count_bits(mask);
  ++stats_.tensor;
  executor_.warn_tensor(at(w, fetched.pc), *fetched.instruction);
  if (probe_ != nullptr) tell_issue(w, fetched, mask);
  return true;
}

/// True when a micro-op of warp `w` cannot issue; the warp then waits for a write-back or for room.
bool SimtCore::tensor_waits(unsigned w, const TensorSequencer::MicroOp& next) {
  if (scoreboard_.waits_for(w, next.reads())) return true;
  if ((tensor_full_ >> w & 1) == 0) return false;
  scoreboard_.block(w, IssueReason::kUnitBusy);  // until on_room()
  return true;
}

bool SimtCore::write_back(const protocol::TensorResult& row) {
  const unsigned w = row.warp;
  const base::Cycle due = now() + params_.commit_latency;
  if (!write_back_.take_port(w, due)) return false;
  --tensor_rows_;
  // Only the last micro-op counts as an instruction.
  const auto counted = row.last ? static_cast<std::uint8_t>(base::count_bits(row.lanes)) : std::uint8_t{0};
  const Completion completion{row.warp, false, counted, row.pc, std::uint64_t{1} << row.result};
  if (due == now()) commit(completion);
  else write_back_.schedule(now(), due, completion);
  wake_at(due);
  return true;
}

void SimtCore::on_room(unsigned w) {
  tensor_full_ &= ~(1u << w);
  if (!scoreboard_.waits_for_others(w)) return;
  scoreboard_.wake(w);
  wake_now();
}

}  // namespace spica::simt_core
