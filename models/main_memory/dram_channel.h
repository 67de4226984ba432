// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/main_memory/back_end.h"
#include "models/main_memory/main_memory_params.h"

namespace spica::main_memory {

/// When one bank may be activated, accessed and precharged. Knows nothing of the other banks.
struct BankTimer {
  static constexpr std::uint64_t kClosed = ~std::uint64_t{0};
  std::uint64_t open_row = kClosed;
  std::uint64_t accesses = 0;       // to the open row
  Picoseconds activated = 0;        // last activate
  Picoseconds activate_ready = 0;   // earliest next activate when closed
  Picoseconds access_ready = 0;     // earliest read or write command to the open row
  Picoseconds precharge_ready = 0;  // earliest precharge
};

/// What the accesses of one bank group keep from each other.
struct GroupTimer {
  Picoseconds access_ready = 0;    // earliest next read or write command
  Picoseconds activate_ready = 0;  // earliest next activate
  Picoseconds write_end = 0;       // end of the last write data
  bool written = false;
};

/// Where an access falls within a channel.
struct Location {
  std::uint32_t bank = 0;
  std::uint64_t row = 0;
};

/// Timing of one DRAM channel: banks with open rows, bank groups, the data bus, activate limits and refresh.
/// Given one access after the other, it says when the data of each has passed the bus. All banks
/// refresh together every refresh interval; missed refreshes of idle times are caught up when the
/// next access comes, so that an idle channel needs no clock.
///
/// Omits    power-down, read-to-write bus turnaround, command bus contention, postponed refreshes
/// Source   testchipip dramsim2_ini
class DramChannel {
 public:
  enum class Kind : std::uint8_t { kRowHit, kRowMiss, kRowConflict };
  struct Issued {
    Picoseconds data_end;
    Kind kind;
  };

  explicit DramChannel(const DramParams& params);

  /// `offset` counts the bytes of this channel. Consecutive accesses go to consecutive banks (bank_bytes in each), then
  /// columns, then rows (address scheme 2 of the source, one rank).
  Location locate(std::uint64_t offset) const;
  bool row_hit(const Location& location) const { return banks_[location.bank].open_row == location.row; }
  /// Performs an access of `bursts` bursts as early as possible, not before `now`.
  Issued issue(Picoseconds now, const Location& location, bool write, unsigned bursts);
  /// Closes the rows and blocks the banks for the refreshes due up to `now`.
  void refresh(Picoseconds now);
  /// How far ahead of the data bus accesses are decided: a conflict in one bank is hidden behind
  /// the data of others.
  Picoseconds lookahead() const { return lookahead_; }
  /// End of the last data burst given away.
  Picoseconds bus_free() const { return bus_free_; }
  std::uint64_t refreshes() const { return refreshes_; }
  /// All rows closed, nothing on the bus; the refresh intervals before `now` count as dealt with.
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
  const Picoseconds burst_step_;  // from one burst of an access to the next
  std::vector<BankTimer> banks_;
  std::vector<GroupTimer> groups_;
  std::array<Picoseconds, 4> activates_{};  // the last four, oldest at next_activate_
  unsigned next_activate_ = 0;
  std::uint64_t activate_count_ = 0;
  Picoseconds bus_free_ = 0;
  Picoseconds write_end_ = 0;
  bool written_ = false;
  std::uint64_t refreshed_ = 0;  // refresh intervals dealt with
  std::uint64_t refreshes_ = 0;
};

}  // namespace spica::main_memory
