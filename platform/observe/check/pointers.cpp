// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/pointers.h"

#include "models/isa/instruction.h"
#include "models/isa/registers.h"

namespace spica::check {

namespace {
constexpr std::uint8_t kGlobalPointer = 3;
}

const Objects::Range* Pointers::object_at(std::uint32_t address) const {
  const Objects::Place place = objects_.place(address);
  return place.inside ? place.before : nullptr;
}

/// What an upper part points to with this lower part. Where the upper part alone was an address, or was moved, two
/// objects are possible: only one that both ways name is certain.
const Objects::Range* Pointers::behind_upper(const Tag& upper, std::uint32_t lower) const {
  const Objects::Range* const object = object_at(upper.upper + lower);
  return upper.object == nullptr || upper.object == object ? object : nullptr;
}

/// The lower part of an address, or a distance in an object. Adding 0 to an upper part onto another register is the
/// lower part of an object there, or a move.
Pointers::Tag Pointers::add_constant(const isa::Instruction& i, Tag to) const {
  if (to.kind != Kind::kUpper) return to;
  const Objects::Range* const object = behind_upper(to, static_cast<std::uint32_t>(i.imm));
  if (i.imm == 0 && (i.rd != i.rs1 || object == nullptr))
    return {Kind::kUpper, object, to.lanes, to.upper, to.upper_at};
  if (object != nullptr) return {Kind::kObject, object, to.lanes, 0, to.upper_at};
  if (to.object == nullptr) return {};
  return {Kind::kUpper, to.object, to.lanes, to.upper + static_cast<std::uint32_t>(i.imm), to.upper_at};
}

Pointers::Tag Pointers::result(const protocol::InstructionEvent& event, const Row& row) const {
  const isa::Instruction& i = event.instruction;
  const std::uint32_t mask = event.origin.lanes;
  const auto lane = static_cast<unsigned>(__builtin_ctz(mask));
  const auto active = [mask](Tag tag) {
    tag.lanes &= mask;
    return tag;
  };
  const Tag one = i.rs1 < row.size() ? row[i.rs1] : Tag(), other = i.rs2 < row.size() ? row[i.rs2] : Tag();
  const bool one_points = one.kind == Kind::kObject || one.kind == Kind::kUpper;
  const bool other_points = other.kind == Kind::kObject || other.kind == Kind::kUpper;
  switch (i.opcode) {
    case isa::Opcode::kLui:
    case isa::Opcode::kAuipc:
      return {Kind::kUpper, nullptr, mask, event.registers.row(i.rd)[lane], event.origin.pc};
    case isa::Opcode::kAddi:
      if (i.rs1 != kGlobalPointer) return add_constant(i, active(one));
      if (const Objects::Range* const object = object_at(event.registers.row(i.rd)[lane]))
        return {Kind::kObject, object, mask, 0, event.origin.pc};
      return {};
    case isa::Opcode::kAdd:
      if (one_points && other.kind == Kind::kNone) return active(one);
      if (other_points && one.kind == Kind::kNone) return active(other);
      return {};
    case isa::Opcode::kSub:
      if (one_points && other.kind == Kind::kNone) return active(one);
      if (one.kind == Kind::kNone && other.kind == Kind::kNone) return {};
      return {Kind::kDistance, nullptr, mask, 0, 0};
    default: return {};
  }
}

void Pointers::issued(const protocol::InstructionEvent& event) {
  const isa::Instruction& i = event.instruction;
  if (i.rd >= 32 || event.origin.lanes == 0) return;
  Row& row = row_of(event.origin);
  row[i.rd] = result(event, row);
}

Pointers::Target Pointers::target(const protocol::Origin& warp, std::uint8_t row, unsigned lane,
                                  std::uint32_t offset) {
  if (row >= 32) return {};
  const Tag& tag = row_of(warp)[row];
  if ((tag.lanes >> lane & 1) == 0) return {};
  if (tag.kind == Kind::kObject) return {tag.object, tag.object, tag.upper_at};
  if (tag.kind != Kind::kUpper) return {};
  const Objects::Range* const object = behind_upper(tag, offset);
  return {object, tag.object != nullptr ? tag.object : object, tag.upper_at};
}

}  // namespace spica::check
