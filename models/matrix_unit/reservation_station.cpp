// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/reservation_station.h"

#include <ostream>

#include "models/base/invariant.h"

namespace spica::matrix_unit {

ReservationStation::ReservationStation(unsigned loads, unsigned stores, unsigned executes)
    : classes_{Class(loads), Class(stores), Class(executes)} {}

void ReservationStation::allocate(const UnitCommand& command) {
  Class& q = queue(command.command_class());
  SPICA_INVARIANT(q.vacant != 0);
  const auto entry = static_cast<unsigned>(__builtin_ctzll(q.vacant));
  q.vacant &= q.vacant - 1;
  --q.free;
  ++used_;
  Entry& slot = q.entries[entry];
  slot.command = command;
  slot.age = age_++;
  q.waiting.push(static_cast<std::uint8_t>(entry));
}

/// True when `head` has to wait for an older command among those of `rival`.
bool ReservationStation::conflict(const Entry& head, const Class& rival) {
  for (std::uint64_t used = rival.all & ~rival.vacant; used != 0; used &= used - 1) {
    const Entry& entry = rival.entries[static_cast<unsigned>(__builtin_ctzll(used))];
    if (entry.age < head.age && entry.command.conflicts(head.command)) return true;
  }
  return false;
}

bool ReservationStation::blocked(CommandClass c) const {
  // Executes are in order in the array itself, loads and stores may overtake each other after
  // issue.
  for (const CommandClass other : {CommandClass::kLoad, CommandClass::kStore, CommandClass::kExecute})
    if (!(c == CommandClass::kExecute && other == c) && blocked_by(c, other)) return true;
  return false;
}

void ReservationStation::complete(CommandClass c, unsigned entry) {
  Class& q = queue(c);
  SPICA_INVARIANT((q.vacant >> entry & 1) == 0);
  q.vacant |= std::uint64_t{1} << entry;
  ++q.free;
  --used_;
}

void ReservationStation::reset() {
  for (Class& q : classes_) {
    q.vacant = q.all;
    q.waiting.clear();
    q.free = static_cast<unsigned>(q.entries.size());
  }
  age_ = 0;
  used_ = 0;
}

void ReservationStation::dump(std::ostream& out) const {
  static constexpr const char* kNames[] = {"loads", "stores", "executes"};
  for (unsigned c = 0; c < kCommandClasses; ++c)
    out << "  reservation station, " << kNames[c] << ": " << used(static_cast<CommandClass>(c)) << " used, "
        << classes_[c].waiting.size() << " not issued\n";
}

}  // namespace spica::matrix_unit
