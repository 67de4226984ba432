// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/profile/call_stacks.h"

#include "models/isa/control_flow.h"
#include "models/isa/execute.h"
#include "models/isa/instruction.h"

namespace spica::profile {

namespace {

bool is_link(std::uint8_t row) { return row == 1 || row == 5; }

}  // namespace

std::uint32_t CallTree::child(std::uint32_t parent, std::uint32_t site) {
  const auto [found, is_new] =
      children_.try_emplace({parent, site}, static_cast<std::uint32_t>(nodes_.size()));
  if (is_new) nodes_.push_back({parent, site});
  return found->second;
}

void CallStack::clear() {
  calls_.clear();
  node_ = 0;
  pending_ = Pending::kNone;
}

void CallStack::issue(const protocol::InstructionEvent& event) {
  const isa::Instruction& instruction = event.instruction;
  const std::uint32_t pc = event.origin.pc;
  if (pending_ != Pending::kNone) settle();
  if (instruction.opcode != isa::Opcode::kJal && instruction.opcode != isa::Opcode::kJalr) return;
  pending_pc_ = pc;
  if (is_link(instruction.rd)) {
    pending_ = Pending::kCall;
    returns_to_ = pc + 4;
  } else if (instruction.opcode == isa::Opcode::kJalr && is_link(instruction.rs1)) {
    pending_ = Pending::kReturn;
    returns_to_ = isa::jump_target(instruction, pc, event.registers, isa::scalar_lane(event.origin.lanes));
  }
}

void CallStack::settle() {
  const Pending what = pending_;
  pending_ = Pending::kNone;
  if (what == Pending::kCall) {
    if (calls_.size() == kDeepest) return;
    calls_.push_back({returns_to_, node_});
    node_ = tree_->child(node_, pending_pc_);
    return;
  }
  for (std::size_t i = calls_.size(); i-- > 0;) {
    if (calls_[i].returns_to != returns_to_) continue;
    node_ = calls_[i].caller;
    calls_.resize(i);
    return;
  }
}

}  // namespace spica::profile
