// SPDX-License-Identifier: Apache-2.0
#include "platform/energy/recorder.h"

#include <algorithm>

#include "platform/energy/blocks.h"
#include "platform/soc/soc.h"

namespace spica::energy {

using simt_core::PcProfile;

Recorder::Recorder(soc::Soc& soc, const Options& options)
    : soc_(soc),
      options_(options),
      activity_(blocks_of(soc)),
      window_(options.window != 0 ? options.window : kFirstWindow) {
  if (options_.lines) soc_.start_profile();
}

Recorder::Sample Recorder::sample(base::Cycle cycle) const {
  soc_.catch_up();
  return {cycle, activity_.counts()};
}

Recorder::Rows Recorder::profile(base::Cycle cycle) const {
  Rows rows;
  if (options_.lines)
    for (unsigned core = 0; core < soc_.core_count(); ++core) rows.push_back(soc_.profile(core)->rows(cycle));
  return rows;
}

void Recorder::begin(base::Cycle cycle) {
  start_ = sample(cycle);
  rows_at_start_ = profile(cycle);
  next_edge_ = (cycle / window_ + 1) * window_;
}

void Recorder::at_edge(base::Cycle cycle) {
  edges_.push_back(sample(cycle));
  if (options_.window == 0 && edges_.size() == kMostSteps) {
    // Every other edge goes: steps of twice the length.
    std::vector<Sample> kept;
    for (Sample& edge : edges_)
      if (edge.cycle % (2 * window_) == 0) kept.push_back(std::move(edge));
    edges_ = std::move(kept);
    window_ *= 2;
  }
  next_edge_ = (cycle / window_ + 1) * window_;
}

void Recorder::at_markers(base::Cycle cycle, unsigned begins, unsigned ends) {
  const Sample now = sample(cycle);
  const bool was_open = open_markers_ > 0;
  open_markers_ = std::max(0L, open_markers_ + static_cast<long>(begins) - static_cast<long>(ends));
  if (begins != 0 && !first_begin_.taken()) {
    first_begin_ = now;
    rows_at_begin_ = profile(cycle);
  }
  if (ends != 0) {
    last_end_ = now;
    rows_at_end_ = profile(cycle);
  }
  if (!was_open && open_markers_ > 0 && regions_.size() < kMaxRegions) regions_.push_back({now, {}});
  if (was_open && open_markers_ == 0) regions_.back().second = now;
}

void Recorder::end(base::Cycle cycle) {
  finish_ = sample(cycle);
  rows_at_finish_ = profile(cycle);
}

Span Recorder::between(const Sample& from, const Sample& to) {
  Span span{from.cycle, to.cycle, to.counts};
  for (std::size_t i = 0; i < span.counts.size(); ++i) span.counts[i] -= from.counts[i];
  return span;
}

Span Recorder::window() const { return is_marked() ? between(first_begin_, last_end_) : whole(); }

std::vector<Span> Recorder::steps() const {
  std::vector<Span> steps;
  const Sample* from = &start_;
  for (const Sample& edge : edges_) {
    if (edge.cycle <= from->cycle || edge.cycle > finish_.cycle) continue;
    steps.push_back(between(*from, edge));
    from = &edge;
  }
  if (from->cycle < finish_.cycle || steps.empty()) steps.push_back(between(*from, finish_));
  return steps;
}

std::vector<Span> Recorder::regions() const {
  std::vector<Span> spans;
  for (const auto& [from, to] : regions_) spans.push_back(between(from, to.taken() ? to : finish_));
  return spans;
}

std::uint64_t Recorder::statistic(const std::string& type, const std::string& counter) const {
  const base::StatWindow window = soc_.region().window();
  std::uint64_t sum = 0;
  for (const power::Block& block : activity_.blocks()) {
    if (block.type != type) continue;
    for (const base::StatGroup::Entry& entry : block.stats->counters())
      if (entry.name == counter) sum += window.value(entry.counter);
  }
  return sum;
}

LineActivity Recorder::lines() const {
  LineActivity result;
  if (!options_.lines) return result;
  const Rows& from = is_marked() ? rows_at_begin_ : rows_at_start_;
  const Rows& to = is_marked() ? rows_at_end_ : rows_at_finish_;
  result.cores = to.size();
  static const PcProfile::Row kNothing;
  for (std::size_t core = 0; core < to.size(); ++core)
    for (const auto& [pc, last] : to[core]) {
      const auto before = from[core].find(pc);
      const PcProfile::Row& first = before == from[core].end() ? kNothing : before->second;
      PcProfile::Row& sum = result.rows[pc];
      for (std::size_t c = 0; c < sum.counts.size(); ++c) sum.counts[c] += last.counts[c] - first.counts[c];
      for (std::size_t r = 0; r < sum.cycles.size(); ++r) sum.cycles[r] += last.cycles[r] - first.cycles[r];
    }
  return result;
}

}  // namespace spica::energy
