// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/base/invariant.h"
#include "models/matrix_unit/commands.h"

namespace spica::matrix_unit {

/// Holds unit commands from decoding to completion, in three classes of limited size. Commands of one class issue in
/// order. Across classes, a command waits until all older commands that access the same rows (of shared memory or
/// accumulator, at least one of them writing) are complete (gemmini ReservationStation.scala).
class ReservationStation {
 public:
  ReservationStation(unsigned loads, unsigned stores, unsigned executes);

  bool has_room(CommandClass c, unsigned count = 1) const { return queue(c).free >= count; }
  void allocate(const UnitCommand& command);

  /// The oldest command of class `c` that has not been issued; nullptr: none.
  const UnitCommand* head(CommandClass c) const {
    const Class& q = queue(c);
    return q.waiting.empty() ? nullptr : &q.entries[q.waiting.front()].command;
  }
  /// True if the head of class `c` waits for an older command of class `other`.
  bool blocked_by(CommandClass c, CommandClass other) const {
    const Class &own = queue(c), &rival = queue(other);
    return !own.waiting.empty() && rival.vacant != rival.all &&
           conflict(own.entries[own.waiting.front()], rival);
  }
  bool can_issue(CommandClass c) const { return !queue(c).waiting.empty() && !blocked(c); }
  /// Issues the head; the result identifies the entry for complete().
  unsigned issue(CommandClass c) { return queue(c).waiting.pop(); }
  const UnitCommand& command(CommandClass c, unsigned entry) const { return queue(c).entries[entry].command; }
  void complete(CommandClass c, unsigned entry);

  /// Entries in use, waiting or issued.
  unsigned used(CommandClass c) const {
    return static_cast<unsigned>(queue(c).entries.size()) - queue(c).free;
  }
  bool empty() const { return used_ == 0; }
  void reset();
  void dump(std::ostream& out) const;
  template <class Archive>
  void serialize(Archive& archive) {
    for (Class& each : classes_) archive(each.entries, each.vacant, each.waiting, each.free);
    archive(age_, used_);
  }

 private:
  struct Entry {
    UnitCommand command;
    std::uint64_t age = 0;
  };
  struct Class {
    explicit Class(unsigned capacity)
        : entries(capacity),
          all(~std::uint64_t{0} >> (64 - capacity)),
          vacant(all),
          waiting(capacity),
          free(capacity) {}
    std::vector<Entry> entries;
    std::uint64_t all, vacant;  // one bit each: all entries, free entries
    base::BoundedQueue<std::uint8_t> waiting;  // oldest first
    unsigned free;
  };
  bool blocked(CommandClass c) const;
  static bool conflict(const Entry& head, const Class& rival);
  Class& queue(CommandClass c) { return classes_[static_cast<unsigned>(c)]; }
  const Class& queue(CommandClass c) const { return classes_[static_cast<unsigned>(c)]; }

  std::array<Class, kCommandClasses> classes_;
  std::uint64_t age_ = 0;
  unsigned used_ = 0;
};

inline ReservationStation::ReservationStation(unsigned loads, unsigned stores, unsigned executes)
    : classes_{Class(loads), Class(stores), Class(executes)} {}

inline void ReservationStation::allocate(const UnitCommand& command) {
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

/// True if `head` must wait for an older command of `rival`.
inline bool ReservationStation::conflict(const Entry& head, const Class& rival) {
  for (std::uint64_t used = rival.all & ~rival.vacant; used != 0; used &= used - 1) {
    const Entry& entry = rival.entries[static_cast<unsigned>(__builtin_ctzll(used))];
    if (entry.age < head.age && entry.command.conflicts(head.command)) return true;
  }
  return false;
}

inline bool ReservationStation::blocked(CommandClass c) const {
  // Executes stay in order in the array itself; loads and stores may overtake each other after issue.
  for (const CommandClass other : {CommandClass::kLoad, CommandClass::kStore, CommandClass::kExecute})
    if (!(c == CommandClass::kExecute && other == c) && blocked_by(c, other)) return true;
  return false;
}

inline void ReservationStation::complete(CommandClass c, unsigned entry) {
  Class& q = queue(c);
  SPICA_INVARIANT((q.vacant >> entry & 1) == 0);
  q.vacant |= std::uint64_t{1} << entry;
  ++q.free;
  --used_;
}

inline void ReservationStation::reset() {
  for (Class& q : classes_) {
    q.vacant = q.all;
    q.waiting.clear();
    q.free = static_cast<unsigned>(q.entries.size());
  }
  age_ = 0;
  used_ = 0;
}

inline void ReservationStation::dump(std::ostream& out) const {
  static constexpr const char* kNames[] = {"loads", "stores", "executes"};
  for (unsigned c = 0; c < kCommandClasses; ++c)
    out << "  reservation station, " << kNames[c] << ": " << used(static_cast<CommandClass>(c)) << " used, "
        << classes_[c].waiting.size() << " not issued\n";
}

}  // namespace spica::matrix_unit
