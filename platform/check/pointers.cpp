// SPDX-License-Identifier: Apache-2.0
#include "platform/check/pointers.h"

#include "models/isa/instruction.h"
#include "models/isa/registers.h"

namespace spica::check {

namespace {
constexpr std::uint8_t kGlobalPointer = 3;
}

Pointers::Tag Pointers::result(const protocol::InstructionEvent& event, const Row& row) const {
  const isa::Instruction& i = event.instruction;
  const std::uint32_t mask = event.origin.lanes;
  const Tag one = i.rs1 < row.size() ? row[i.rs1] : Tag(), other = i.rs2 < row.size() ? row[i.rs2] : Tag();
  switch (i.opcode) {
    case isa::Opcode::kLui:
    case isa::Opcode::kAuipc: return {Kind::kUpper, nullptr, mask};
    case isa::Opcode::kAddi: {
      if (i.rs1 != kGlobalPointer && one.kind != Kind::kUpper)
        return {one.kind, one.object, one.lanes & mask};
      if (i.imm == 0) return {one.kind, nullptr, one.lanes & mask};
      const auto lane = static_cast<unsigned>(__builtin_ctz(mask));
      const Objects::Place place = objects_.place(event.registers.row(i.rd)[lane]);
      if (!place.inside) return {};
      return {Kind::kObject, place.before, mask};
    }
    case isa::Opcode::kAdd:
      if (one.kind == Kind::kObject && other.kind == Kind::kNone)
        return {one.kind, one.object, one.lanes & mask};
      if (other.kind == Kind::kObject && one.kind == Kind::kNone)
        return {other.kind, other.object, other.lanes & mask};
      return {};
    case isa::Opcode::kSub:
      if (one.kind == Kind::kObject && other.kind == Kind::kNone)
        return {one.kind, one.object, one.lanes & mask};
      if (one.kind == Kind::kNone && other.kind == Kind::kNone) return {};
      return {Kind::kDistance, nullptr, mask};
    default: return {};
  }
}

void Pointers::issued(const protocol::InstructionEvent& event) {
  const isa::Instruction& i = event.instruction;
  if (i.rd >= 32 || event.origin.lanes == 0) return;
  Row& row = row_of(event.origin);
  row[i.rd] = result(event, row);
}

const Objects::Range* Pointers::target(const protocol::Origin& warp, std::uint8_t row, unsigned lane) {
  if (row >= 32) return nullptr;
  const Tag& tag = row_of(warp)[row];
  return tag.kind == Kind::kObject && (tag.lanes >> lane & 1) != 0 ? tag.object : nullptr;
}

}  // namespace spica::check
