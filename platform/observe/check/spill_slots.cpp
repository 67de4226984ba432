// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/spill_slots.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "models/isa/instruction.h"
#include "models/isa/stacks.h"

namespace spica::check {

namespace {

bool by_stack_pointer(const isa::Instruction& i, isa::Unit unit) {
  return i.unit == unit && i.rs1 == isa::kStackPointer;
}

}  // namespace

bool SpillSlots::has(std::uint32_t pc) {
  const auto [found, fresh] = known_.try_emplace(pc, false);
  if (fresh) found->second = find(pc);
  return found->second;
}

bool SpillSlots::find(std::uint32_t pc) const {
  const loader::Symbol* const function = sources_.function_at(pc);
  if (function == nullptr) return false;
  const isa::Instruction load = isa::decode(program_.word_at(pc).value_or(0));
  if (!by_stack_pointer(load, isa::Unit::kLoad)) return false;
  bool stored = false;
  std::int32_t objects =
      std::numeric_limits<std::int32_t>::max();  // the lowest offset whose address is taken
  std::optional<std::int32_t> frame;  // of the frame pointer, from the stack pointer
  for (std::uint64_t at = function->address; at < function->address + function->bytes; at += 4) {
    const isa::Instruction i = isa::decode(program_.word_at(at).value_or(0));
    if (by_stack_pointer(i, isa::Unit::kLoad) || i.rd == isa::kStackPointer) continue;
    if (by_stack_pointer(i, isa::Unit::kStore)) {
      stored |= i.imm == load.imm;
    } else if (i.opcode == isa::Opcode::kAddi && i.rs1 == isa::kStackPointer) {
      if (i.rd == isa::kFramePointer && !frame) frame = i.imm;
      else objects = std::min(objects, i.imm);
    } else if (i.opcode == isa::Opcode::kAddi && frame && i.rs1 == isa::kFramePointer) {
      objects = std::min(objects, *frame + i.imm);
    } else if ((i.reads >> isa::kStackPointer & 1) != 0) {
      return false;
    }
  }
  return stored && load.imm < objects;
}

}  // namespace spica::check
