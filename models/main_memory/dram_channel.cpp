// SPDX-License-Identifier: Apache-2.0
#include "models/main_memory/dram_channel.h"

#include <algorithm>

namespace spica::main_memory {

DramChannel::DramChannel(const DramParams& params)
    : params_(params),
      lookahead_(clocks(params.rp + params.rcd + params.cl)),
      grouped_(params.bank_groups > 1),
      burst_step_(clocks(grouped_ ? std::max(params.burst, params.ccd_l) : params.burst)),
      banks_(params.banks),
      groups_(params.bank_groups) {}

Location DramChannel::locate(std::uint64_t offset) const {
  const std::uint64_t access = offset / params_.consecutive_in_bank();
  const std::uint64_t columns = params_.row_bytes / params_.consecutive_in_bank();
  return {static_cast<std::uint32_t>(access % params_.banks), access / params_.banks / columns};
}

void DramChannel::close(BankTimer& bank) {
  if (bank.open_row == BankTimer::kClosed) return;
  bank.open_row = BankTimer::kClosed;
  bank.activate_ready =
      std::max(bank.activated + clocks(params_.rc), bank.precharge_ready + clocks(params_.rp));
}

void DramChannel::activate(BankTimer& bank, GroupTimer& group, Picoseconds earliest, std::uint64_t row) {
  Picoseconds at = std::max(earliest, bank.activate_ready);
  if (grouped_) at = std::max(at, group.activate_ready);
  if (activate_count_ >= 1) at = std::max(at, activates_[(next_activate_ + 3) % 4] + clocks(params_.rrd));
  if (activate_count_ >= 4) at = std::max(at, activates_[next_activate_] + clocks(params_.faw));
  group.activate_ready = at + clocks(params_.rrd_l);
  activates_[next_activate_] = at;
  next_activate_ = (next_activate_ + 1) % 4;
  ++activate_count_;
  bank.open_row = row;
  bank.accesses = 0;
  bank.activated = at;
  bank.access_ready = at + clocks(params_.rcd);
  bank.precharge_ready = at + clocks(params_.ras);
}

Picoseconds DramChannel::earliest_command(const BankTimer& bank, const GroupTimer& group, Picoseconds now,
                                          bool write) const {
  Picoseconds command = std::max(now, bank.access_ready);
  if (!write && written_) command = std::max(command, write_end_ + clocks(params_.wtr));
  if (!grouped_) return command;
  if (!write && group.written) command = std::max(command, group.write_end + clocks(params_.wtr_l));
  return std::max(command, group.access_ready);
}

DramChannel::Issued DramChannel::issue(Picoseconds now, const Location& location, bool write,
                                       unsigned bursts) {
  refresh(now);
  BankTimer& bank = banks_[location.bank];
  GroupTimer& group = groups_[location.bank % params_.bank_groups];
  Kind kind = Kind::kRowHit;
  if (bank.open_row == BankTimer::kClosed) {
    kind = Kind::kRowMiss;
    activate(bank, group, now, location.row);
  } else if (bank.open_row != location.row) {
    kind = Kind::kRowConflict;
    bank.precharge_ready = std::max(bank.precharge_ready, now);
    close(bank);
    activate(bank, group, now, location.row);
  }

  const Picoseconds command = earliest_command(bank, group, now, write);
  const Picoseconds to_data = clocks(write ? params_.cwl : params_.cl);
  const Picoseconds start = std::max(command + to_data, bus_free_);
  const Picoseconds last = start + burst_step_ * (bursts - 1);
  const Picoseconds end = last + clocks(params_.burst);
  bus_free_ = end;
  group.access_ready = last - to_data + clocks(params_.ccd_l);
  if (write) {
    write_end_ = end;
    written_ = true;
    group.write_end = end;
    group.written = true;
    bank.precharge_ready = std::max(bank.precharge_ready, end + clocks(params_.wr));
  } else {
    bank.precharge_ready = std::max(bank.precharge_ready, last - to_data + clocks(params_.rtp));
  }
  if (++bank.accesses >= params_.accesses_per_row) close(bank);
  return {start, end, kind};
}

void DramChannel::refresh(Picoseconds now) {
  if (params_.refresh_ns == 0) return;
  const Picoseconds interval = params_.refresh_ns * 1000;
  const std::uint64_t due = now / interval;
  if (due <= refreshed_) return;
  refreshes_ += due - refreshed_;
  refreshed_ = due;
  // The last refresh starts at its time, or when the accesses already decided are done.
  Picoseconds start = std::max(due * interval, bus_free_);
  for (BankTimer& bank : banks_) {
    close(bank);
    start = std::max(start, bank.activate_ready);
  }
  for (BankTimer& bank : banks_) bank.activate_ready = start + clocks(params_.rfc);
}

void DramChannel::clear(Picoseconds now) {
  std::fill(banks_.begin(), banks_.end(), BankTimer{});
  std::fill(groups_.begin(), groups_.end(), GroupTimer{});
  activates_ = {};
  next_activate_ = 0;
  activate_count_ = 0;
  bus_free_ = 0;
  write_end_ = 0;
  written_ = false;
  refreshed_ = params_.refresh_ns == 0 ? 0 : now / (params_.refresh_ns * 1000);
}

}  // namespace spica::main_memory
