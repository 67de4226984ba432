// SPDX-License-Identifier: Apache-2.0
// The decoupled tensor core seen from the core (vortex-hopper core/VX_tensor_hopper_core.sv): issue
// of hgmma and hgmma_wait, and the accumulator rows that pass through the register file's ports.
#include <cstring>

#include "models/simt_core/simt_core.h"

namespace spica::simt_core {

bool SimtCore::try_issue_decoupled_tensor(unsigned w, const Fetched& fetched) {
  Warp& warp = warps_[w];
  const isa::Instruction& instruction = *fetched.instruction;
  if (decoupled_tensor_ == nullptr) {
    refused(executor_.refuse(no_tensor_core(), at(w, fetched.pc), instruction), w, fetched.pc);
    return false;
  }
  const auto wait_for = [&](IssueReason reason) {
    scoreboard_.block(w, reason);
    return false;
  };
  if (scoreboard_.waits_for(w, instruction.reads)) return false;

  const std::uint32_t mask = state_[w].simt.mask();
  if (instruction.opcode == isa::Opcode::kHgmmaWait) {
    if (warp.tensor_products != 0) return wait_for(IssueReason::kTensor);
    const Dispatched entry{&instruction, fetched.pc, mask, 0, 0};
    complete(w, entry, now() + params_.operand_latency + 1 + params_.commit_latency, false);
  } else {
    if (warp.tensor_products == decoupled_tensor_->most_in_flight()) return wait_for(IssueReason::kTensor);
    if (!decoupled_tensor_->room(w)) return wait_for(IssueReason::kUnitBusy);
    protocol::TileProduct product;
    Tiles tiles;
    Mistake mistake;
    if (!find_tiles(instruction, state_[w].registers, map_, tiles, mistake)) {
      refused(executor_.refuse(mistake, at(w, fetched.pc), instruction), w, fetched.pc);
      return false;
    }
    product.a = tiles.a;
    product.b = tiles.b;
    product.origin = origin(w, fetched.pc, mask);
    product.ready = now() + params_.operand_latency;
    decoupled_tensor_->push(product);
    ++warp.tensor_products;
    stats_.register_reads += 2;
  }
  account_.issue(w, fetched.pc);
  scoreboard_.issue(w, 0);
  ++stats_.issues;
  ++stats_.dispatches;
  if (profile_ != nullptr) profile_->issued(fetched.pc, instruction, base::count_bits(mask));
  ++stats_.warp_instructions;
  stats_.thread_instructions += base::count_bits(mask);
  ++stats_.tensor;
  if (probe_ != nullptr) tell_issue(w, fetched, mask);
  return true;
}

void SimtCore::read_accumulator(unsigned w, unsigned f, protocol::TensorRow& row) {
  std::memcpy(row.data(), state_[w].registers.row(static_cast<std::uint8_t>(isa::kFloatRow + f)), sizeof row);
  ++stats_.register_reads;
  third_port_taken_ = now();
}

bool SimtCore::write_accumulator(unsigned w, unsigned f, const protocol::TensorRow& row, bool last) {
  pass_accumulator_rows();
  const base::Cycle due = now() + params_.commit_latency;
  if (!write_back_.take_port(w, due)) return false;
  std::memcpy(state_[w].registers.row(static_cast<std::uint8_t>(isa::kFloatRow + f)), row.data(), sizeof row);
  ++stats_.register_writes;
  accumulator_rows_.push({static_cast<std::uint8_t>(w), last, due});
  if (last) {
    wake_at(due);
    if (due == now()) pass_accumulator_rows();
  }
  return true;
}

/// Rows whose write-back cycle has come leave their warp's port. Only the last one of an instruction needs a tick of its
/// own: nothing asks for a past cycle, and each caller of the port comes through here first.
void SimtCore::pass_accumulator_rows() {
  while (!accumulator_rows_.empty() && accumulator_rows_.front().due <= now()) {
    const AccumulatorRow row = accumulator_rows_.pop();
    write_back_.leave_port(row.warp, row.due);
    if (!row.last) continue;
    --warps_[row.warp].tensor_products;
    scoreboard_.wake(row.warp);
  }
}

/// The instruction itself is executed: only hgmma_wait still waits for it.
void SimtCore::on_begun(const protocol::Origin& begun) {
  const base::Cycle due = write_back_.schedule_at_free_port(
      now(), now() + 1 + params_.commit_latency,
      {begun.warp, false, static_cast<std::uint8_t>(base::count_bits(begun.lanes)), begun.pc, 0});
  wake_at(due);
}

}  // namespace spica::simt_core
