// SPDX-License-Identifier: Apache-2.0
#include "testbenches/unit/isa/tiny_machine.h"

#include <cstring>

#include "models/isa/csr.h"
#include "models/isa/simt_stack.h"

namespace spica::isa::test {

TinyMachine::TinyMachine(std::vector<std::uint8_t> memory, std::uint32_t base, std::uint32_t entry,
                         std::uint32_t mask)
    : memory_(std::move(memory)), base_(base), pc_(entry), mask_(mask), lane_(scalar_lane(mask)) {}

bool TinyMachine::run() {
  for (;;) {
    if (pc_ < base_ || pc_ - base_ + 4 > memory_.size()) return false;
    std::uint32_t word;
    std::memcpy(&word, &memory_[pc_ - base_], 4);
    const Instruction in = decode(word);
    ++executed_;
    if (in.opcode == Opcode::kEcall) return true;
    if (!step(in) || !lanes_agree(in)) return false;
  }
}

bool TinyMachine::step(const Instruction& in) {
  std::uint32_t next = pc_ + 4;
  switch (in.unit) {
    case Unit::kLoad:
    case Unit::kStore:
    case Unit::kAtomic:
      if (!access(in)) return false;
      break;
    case Unit::kBranch: {
      const std::uint32_t taken = branch_taken(in, registers_, mask_);
      if (taken != 0 && taken != mask_) return false;
      if (taken != 0) next = jump_target(in, pc_, registers_, lane_);
      execute(in, pc_, registers_, mask_, state_);
      break;
    }
    case Unit::kCsr: csr(in); break;
    case Unit::kFence: break;
    case Unit::kSystem:
    case Unit::kWarpControl:
    case Unit::kTensor: return false;
    default:
      if (!rounding_is_valid(in, state_)) return false;
      execute(in, pc_, registers_, mask_, state_);
  }
  pc_ = next;
  return true;
}

bool TinyMachine::access(const Instruction& in) {
  const std::uint32_t address = operand(in.rs1) + static_cast<std::uint32_t>(in.imm);
  if (address < base_ || address - base_ + in.access_bytes > memory_.size()) return false;
  std::uint8_t* place = &memory_[address - base_];
  std::uint32_t raw = 0;
  std::memcpy(&raw, place, in.access_bytes);
  if (in.unit == Unit::kLoad) {
    write(in.rd, extend_load(in, raw));
    return true;
  }
  const std::uint32_t data = operand(in.rs2);
  if (in.unit == Unit::kAtomic) {
    // The values of protocol::Atomic are those of the instruction's funct5 field.
    const auto effect =
        reservations_.perform(static_cast<protocol::Atomic>(in.word >> 27), 0, address, raw, data);
    if (effect.stores) std::memcpy(place, &effect.stored, 4);
    write(in.rd, effect.answer);
    return true;
  }
  reservations_.store(address, in.access_bytes);
  std::memcpy(place, &data, in.access_bytes);
  return true;
}

void TinyMachine::csr(const Instruction& in) {
  const auto number = static_cast<std::uint32_t>(in.imm);
  const unsigned shift = number == csr::kFrm ? 5 : 0;
  const std::uint32_t field = number == csr::kFrm ? 7 : number == csr::kFflags ? 0x1F : 0xFF;
  std::uint32_t fcsr = std::uint32_t{state_.frm} << 5 | state_.fflags;
  const std::uint32_t old = fcsr >> shift & field;
  const CsrOperation operation = csr_operation(in, old, in.rs1 == kNoRegister ? 0 : operand(in.rs1));
  if (operation.writes) {
    fcsr = (fcsr & ~(field << shift)) | (operation.value & field) << shift;
    state_.frm = static_cast<std::uint8_t>(fcsr >> 5);
    state_.fflags = fcsr & 0x1F;
  }
  write(in.rd, old);
}

void TinyMachine::write(std::uint8_t row, std::uint32_t value) {
  if (row == kNoRegister) return;
  for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1)
    registers_.row(row)[__builtin_ctz(rest)] = value;
}

bool TinyMachine::lanes_agree(const Instruction& in) const {
  if (in.rd == kNoRegister) return true;
  const std::uint32_t* row = registers_.row(in.rd);
  for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1)
    if (row[__builtin_ctz(rest)] != row[lane_]) return false;
  return true;
}

}  // namespace spica::isa::test
