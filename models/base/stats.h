// SPDX-License-Identifier: Apache-2.0
// Statistics: counters that blocks increment where the event happens. Ratios are derived when reporting.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/types.h"

namespace spica::base {

enum class Unit : std::uint8_t { kCount, kCycles, kBytes, kWords, kInstructions };
std::string_view unit_name(Unit unit);

class StatGroup;

/// One event count. Copying is off: a block owns its counters.
class Counter {
 public:
  Counter() = default;
  /// A counter that is a member of the block, so that its counters are contiguous. The texts must be literals.
  Counter(StatGroup& group, std::string_view name, Unit unit, std::string_view description);
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  void operator++() { ++value_; }
  void operator+=(std::uint64_t n) { value_ += n; }
  std::uint64_t value() const { return value_; }
  void reset() { value_ = 0; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value_);
  }

 private:
  std::uint64_t value_ = 0;
};

/// Charges every cycle of something (an issue slot, an array, an engine) to exactly one reason.
///
/// The owner calls `charge(reason, now)` when the reason changes, or more often. Cycles since the last call go to the
/// reason passed then. The sum of all reasons is the time since reset().
class CycleAccount {
 public:
  /// `reasons` are the names shown to users, indexed by the value passed to charge().
  /// All texts are literals.
  CycleAccount(std::string_view name, std::string_view description, std::vector<std::string_view> reasons);

  /// From cycle `now` on, time belongs to `reason`. Time must not go back.
  void charge(unsigned reason, Cycle now) {
    cycles_[current_] += now - since_;
    current_ = reason;
    since_ = now;
  }
  /// Charges `cycles` of the time since the last charge to `reason` instead of the current one.
  void spend(unsigned reason, Cycle cycles) {
    cycles_[reason] += cycles;
    since_ += cycles;
  }
  /// Charges cycle `now` to `reason`, and time from the next cycle on to `rest`.
  void charge_cycle(unsigned reason, unsigned rest, Cycle now) {
    if (rest == current_) return spend(reason, 1);
    charge(reason, now);
    charge(rest, now + 1);
  }
  /// Settles the account at `now` so that the sum is exact; charging continues with the same reason.
  void settle(Cycle now) { charge(current_, now); }
  void reset(Cycle now);
  /// Not saved: name_, description_, reasons_.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(since_, current_, cycles_, start_);
  }

  /// The reason that is being charged.
  unsigned current() const { return current_; }
  /// The cycle of the last charge, for an owner that learns the reason of past cycles later.
  Cycle since() const { return since_; }
  std::string_view name() const { return name_; }
  std::string_view description() const { return description_; }
  std::size_t size() const { return reasons_.size(); }
  std::string_view reason(std::size_t i) const { return reasons_[i]; }
  std::uint64_t cycles(std::size_t i) const { return cycles_[i]; }
  /// Cycles of reason `i`, including those since the last charge up to `now`. Does not change the account.
  std::uint64_t cycles_at(std::size_t i, Cycle now) const {
    return cycles_[i] + (i == current_ && now > since_ ? now - since_ : 0);
  }
  std::uint64_t total() const;
  Cycle start() const { return start_; }

 private:
  static constexpr std::size_t kMostReasons = 16;

  // The members that every charge touches come first.
  Cycle since_ = 0;
  unsigned current_ = 0;
  std::array<std::uint64_t, kMostReasons> cycles_{};
  Cycle start_ = 0;
  std::string_view name_, description_;
  std::vector<std::string_view> reasons_;
};

/// All counters of one block, with their units and descriptions.
class StatGroup {
 public:
  struct Entry {
    std::string_view name;
    Unit unit;
    std::string_view description;
    Counter& counter;
  };

  StatGroup() = default;
  StatGroup(const StatGroup&) = delete;
  StatGroup& operator=(const StatGroup&) = delete;

  /// Declares a counter that is not a member, for groups whose parameters decide the number of counters. The reference
  /// stays valid as long as the group.
  Counter& counter(std::string name, Unit unit, std::string description);
  CycleAccount& account(std::string_view name, std::string_view description,
                        std::vector<std::string_view> reasons);

  const std::deque<Entry>& counters() const { return counters_; }
  const std::deque<CycleAccount>& accounts() const { return accounts_; }
  /// Zeroes everything and restarts the measuring window at `now`.
  void reset(Cycle now);
  /// Closes the cycle accounts at `now`.
  void settle(Cycle now);
  /// Not saved: values_, texts_, which are those of counters_.
  template <class Archive>
  void serialize(Archive& archive) {
    for (const Entry& entry : counters_) archive(entry.counter);
    for (CycleAccount& account : accounts_) archive(account);
  }

 private:
  friend class Counter;
  std::deque<Counter> values_;  // counters made by counter()
  std::deque<std::string> texts_;  // texts of those counters
  std::deque<Entry> counters_;
  std::deque<CycleAccount> accounts_;
};

}  // namespace spica::base
