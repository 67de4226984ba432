// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/launch_series.h"

#include <algorithm>
#include <tuple>

namespace spica::soc {

void LaunchSeries::begin(base::Cycle cycle) {
  last_ = read_();
  last_cycle_ = cycle;
  rows_.clear();
  places_.clear();
  running_.clear();
  seen_ = 0;
  update_running();
}

void LaunchSeries::begin_at_0() {
  if (std::all_of(last_.begin(), last_.end(), [](std::uint64_t count) { return count == 0; })) return;
  rows_.push_back({{}, {}, true, last_cycle_, last_});
}

void LaunchSeries::at_launches(base::Cycle cycle) {
  close(cycle);
  update_running();
}

/// In the fast mode a core can have been ahead of the end of the run; that time was not.
void LaunchSeries::end(base::Cycle cycle) {
  close(cycle);
  base::Cycle ahead = last_cycle_ - cycle;
  for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) {
    const base::Cycle less = std::min(ahead, row->cycles);
    row->cycles -= less;
    ahead -= less;
  }
}

/// Adds everything since the last boundary to the row of what ran. In the fast mode cores run one after the other, and
/// time does not go back.
void LaunchSeries::close(base::Cycle cycle) {
  Counts now = read_();
  const base::Cycle cycles = cycle - std::min(cycle, last_cycle_);
  if (cycles != 0 || now != last_) {
    Row& row = this->row();
    row.cycles += cycles;
    row.counts.resize(now.size());
    for (std::size_t i = 0; i < now.size(); ++i) row.counts[i] += now[i] - last_[i];
  }
  last_ = std::move(now);
  last_cycle_ += cycles;
}

void LaunchSeries::update_running() {
  const std::vector<protocol::KernelRun>& runs = runs_();
  for (; seen_ < runs.size(); ++seen_) running_.push_back(seen_);
  const auto has_ended = [&runs](std::uint32_t launch) { return runs[launch].ended != base::kNever; };
  running_.erase(std::remove_if(running_.begin(), running_.end(), has_ended), running_.end());
}

LaunchSeries::Row& LaunchSeries::row() {
  std::vector<std::string> groups;
  for (const std::uint32_t launch : running_) groups.push_back(group_(runs_()[launch]));
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  auto place = places_.find({running_, groups});
  if (place == places_.end()) {
    const bool has_room = places_.size() < kMostRows;
    bool is_new = false;
    const Set launches = has_room ? running_ : Set();
    std::tie(place, is_new) = places_.try_emplace({launches, groups}, rows_.size());
    if (is_new) rows_.push_back({launches, groups, false, 0, {}});
  }
  return rows_[place->second];
}

LaunchSeries::Row LaunchSeries::total() const {
  Row sum;
  for (const Row& row : rows_) {
    sum.cycles += row.cycles;
    sum.counts.resize(std::max(sum.counts.size(), row.counts.size()));
    for (std::size_t i = 0; i < row.counts.size(); ++i) sum.counts[i] += row.counts[i];
  }
  return sum;
}

}  // namespace spica::soc
