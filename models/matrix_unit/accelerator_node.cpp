// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/accelerator_node.h"

#include <ostream>
#include <utility>

#include "models/matrix_unit/unit_faults.h"

namespace spica::matrix_unit {

void AcceleratorNode::command(unsigned core, std::uint32_t word, const protocol::Origin& origin) {
  const unsigned number = unit_of(word);
  if (number >= units_.size()) return fault->report(no_such_unit(word, units_.size(), now(), origin));
  Unit& unit = units_[number];
  word = without_unit(word);
  const WordSlot::Offer offer = unit.slot.offer(core, now());
  if (offer == WordSlot::Offer::kSameInstruction) return lost(number, word, true, origin);
  if (offer == WordSlot::Offer::kOtherCore) {
    if (unit.slot.core() < core) return lost(number, word, false, origin);
    lost(number, unit.word, false, unit.origin);
    unit.slot.take(core, now());
  }
  unit.pending = true;
  unit.word = word;
  unit.origin = origin;
  wake_next();
}

void AcceleratorNode::lost(unsigned unit, std::uint32_t word, bool same_instruction,
                           const protocol::Origin& origin) {
  ++stats_.lost;
  fault->report(word_lost(unit, word, same_instruction, now(), origin));
}

std::uint32_t AcceleratorNode::busy() const {
  const base::Cycle before = now() == 0 ? 0 : now() - 1;
  for (const Unit& unit : units_)
    if (unit.unit->busy(before)) return 1;
  return 0;
}

void AcceleratorNode::tick() {
  for (Unit& unit : units_) {
    if (!std::exchange(unit.pending, false)) continue;
    ++stats_.commands;
    unit.unit->command(unit.slot.core(), unit.word, unit.origin);
  }
}

void AcceleratorNode::reset() {
  for (Unit& unit : units_) {
    unit.pending = false;
    unit.slot.reset();
  }
}

bool AcceleratorNode::idle() const {
  for (const Unit& unit : units_)
    if (unit.pending) return false;
  return true;
}

void AcceleratorNode::dump_state(std::ostream& os) const {
  for (std::size_t i = 0; i < units_.size(); ++i)
    if (units_[i].pending)
      os << name() << ": word 0x" << std::hex << units_[i].word << std::dec << " on its way to unit " << i
         << '\n';
}

}  // namespace spica::matrix_unit
