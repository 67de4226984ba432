// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/main_memory/back_end.h"
#include "models/main_memory/main_memory_params.h"

namespace spica::main_memory {

/// When one bank may be activated, accessed and precharged. Independent of other banks.
struct BankTimer {
  static constexpr std::uint64_t kClosed = ~std::uint64_t{0};
  std::uint64_t open_row = kClosed;
  std::uint64_t accesses = 0;       // accesses to the open row
  Picoseconds activated = 0;        // last activate
  Picoseconds activate_ready = 0;   // earliest next activate when closed
  Picoseconds access_ready = 0;     // earliest read or write command to the open row
  Picoseconds precharge_ready = 0;  // earliest precharge
};

/// Timing constraints between accesses of one bank group.
struct GroupTimer {
  Picoseconds access_ready = 0;    // earliest next read or write command
  Picoseconds activate_ready = 0;  // earliest next activate
  Picoseconds write_end = 0;       // end of the last write data
  bool written = false;
};

/// Position of an access in a channel.
struct Location {
  std::uint32_t bank = 0;
  std::uint64_t row = 0;
};

/// Timing of one DRAM channel: banks with open rows, bank groups, the data bus, activate limits and refresh. For each
/// access, in order, it returns when the data has passed the bus. All banks refresh together every refresh interval.
/// Refreshes of idle times are performed with the next access, so that an idle channel needs no clock.
///
/// Omits    power-down, read-to-write bus turnaround, command bus contention, postponed refreshes
/// Source   testchipip dramsim2_ini
class DramChannel {
 public:
  enum class Kind : std::uint8_t { kRowHit, kRowMiss, kRowConflict };
  struct Issued {
    Picoseconds data_start, data_end;
    Kind kind;
  };

  explicit DramChannel(const DramParams& params);

  /// `offset` counts bytes within this channel. Consecutive accesses use consecutive banks (bank_bytes in each), then
  /// columns, then rows (address scheme 2 of the source, one rank).
  Location locate(std::uint64_t offset) const;
  bool row_hit(const Location& location) const { return banks_[location.bank].open_row == location.row; }
  /// Performs an access of `bursts` bursts as early as possible, not before `now`.
  Issued issue(Picoseconds now, const Location& location, bool write, unsigned bursts);
  /// A row of the past is open, without constraints on the next access.
  void leave_open(const Location& location) { banks_[location.bank].open_row = location.row; }
  /// Performs the refreshes due up to `now`: closes rows and blocks banks.
  void refresh(Picoseconds now);
  /// How far ahead of the data bus accesses are scheduled, so that a conflict in one bank overlaps with the data of
  /// others.
  Picoseconds lookahead() const { return lookahead_; }
  /// End of the last scheduled data burst.
  Picoseconds bus_free() const { return bus_free_; }
  std::uint64_t refreshes() const { return refreshes_; }
  /// Closes all rows and clears the bus; refresh intervals before `now` count as done.
  void clear(Picoseconds now);

  template <class Archive>
  void serialize(Archive& archive) {
    archive(banks_, groups_, activates_, next_activate_, activate_count_, bus_free_, write_end_, written_,
            refreshed_, refreshes_);
  }

 private:
  Picoseconds clocks(std::uint64_t count) const { return count * params_.clock_ps; }
  void activate(BankTimer& bank, GroupTimer& group, Picoseconds earliest, std::uint64_t row);
  void close(BankTimer& bank);
  Picoseconds earliest_command(const BankTimer& bank, const GroupTimer& group, Picoseconds now,
                               bool write) const;

  const DramParams params_;
  const Picoseconds lookahead_;
  const bool grouped_;
  const Picoseconds burst_step_;  // time between bursts of an access
  std::vector<BankTimer> banks_;
  std::vector<GroupTimer> groups_;
  std::array<Picoseconds, 4> activates_{};  // the last four, oldest at next_activate_
  unsigned next_activate_ = 0;
  std::uint64_t activate_count_ = 0;
  Picoseconds bus_free_ = 0;
  Picoseconds write_end_ = 0;
  bool written_ = false;
  std::uint64_t refreshed_ = 0;  // completed refresh intervals
  std::uint64_t refreshes_ = 0;
};

}  // namespace spica::main_memory
