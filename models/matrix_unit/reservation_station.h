// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/matrix_unit/commands.h"

namespace spica::matrix_unit {

/// Holds unit commands from decoding to completion, in three classes of limited size. Commands of
/// one class issue in order; across classes a command waits until every older one that touches the
/// same rows (of shared memory or accumulator, one of them writing) is complete (gemmini
/// ReservationStation.scala).
class ReservationStation {
 public:
  ReservationStation(unsigned loads, unsigned stores, unsigned executes);

  bool has_room(CommandClass c, unsigned count = 1) const { return queue(c).free >= count; }
  void allocate(const UnitCommand& command);

  /// The oldest command of class `c` that is not issued yet; nullptr: none.
  const UnitCommand* head(CommandClass c) const {
    const Class& q = queue(c);
    return q.waiting.empty() ? nullptr : &q.entries[q.waiting.front()].command;
  }
  /// True when the head of class `c` waits for an older command of class `other`.
  bool blocked_by(CommandClass c, CommandClass other) const {
    const Class &own = queue(c), &rival = queue(other);
    return !own.waiting.empty() && rival.vacant != rival.all &&
           conflict(own.entries[own.waiting.front()], rival);
  }
  bool can_issue(CommandClass c) const { return !queue(c).waiting.empty() && !blocked(c); }
  /// Issues the head; the result names the entry for complete().
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
    std::uint64_t all, vacant;                 // entries, and those not in use, one bit each
    base::BoundedQueue<std::uint8_t> waiting;  // in order of age
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

}  // namespace spica::matrix_unit
