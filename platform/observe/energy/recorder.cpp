// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/recorder.h"

#include "platform/machine/soc/blocks.h"
#include "platform/machine/soc/measured_machine.h"
#include "platform/observe/energy/blocks.h"

namespace spica::energy {

Recorder::Recorder(soc::MeasuredMachine& soc, soc::Sampler& sampler, const Options& options)
    : soc_(soc),
      options_(options),
      activity_(blocks_of(soc)),
      series_(sampler.add_events([this](base::Cycle) { return activity_.counts(); },
                                 options.window != 0 ? soc::Windows{options.window, 0, true}
                                                     : soc::Windows{kFirstWindow, kMostSteps, true})) {
  if (options_.lines) soc_.start_profile();
}

Recorder::Rows Recorder::profile(base::Cycle cycle) const {
  Rows rows;
  if (options_.lines)
    for (unsigned core = 0; core < soc_.machine().core_count(); ++core)
      rows.push_back(soc_.profile(core)->rows(cycle));
  return rows;
}

Span Recorder::with_projected(Span span) const {
  if (!projected_) return span;
  span.end += projected_->end - projected_->begin;
  for (std::size_t i = 0; i < span.counts.size(); ++i) span.counts[i] += projected_->counts[i];
  return span;
}

std::vector<Span> Recorder::steps() const {
  std::vector<Span> steps = series_.steps();
  if (projected_) {
    const base::Cycle end = series_.finish().cycle;
    steps.push_back({end, end + projected_->end - projected_->begin, projected_->counts});
  }
  return steps;
}

void Recorder::begin(base::Cycle cycle) { rows_at_start_ = profile(cycle); }

void Recorder::at_markers(base::Cycle cycle, unsigned begins, unsigned ends) {
  if (begins != 0 && !region_started_) rows_at_begin_ = profile(cycle);
  region_started_ = region_started_ || begins != 0;
  if (ends != 0) rows_at_end_ = profile(cycle);
}

void Recorder::end(base::Cycle cycle) { rows_at_finish_ = profile(cycle); }

std::vector<std::pair<std::string, std::uint64_t>> Recorder::figures() const {
  const base::StatWindow window = soc_.region().window();
  std::vector<std::pair<std::string, std::uint64_t>> result;
  for (const base::BlockType* type : base::block_types())
    for (const base::FigureKind& figure : type->figures) {
      std::uint64_t sum = 0;
      for (const power::Block& block : activity_.blocks())
        if (block.type == type) sum += soc::counted(window, *block.stats, figure.counters);
      result.emplace_back(figure.name, sum);
    }
  return result;
}

LineActivity Recorder::lines() const {
  LineActivity result;
  if (!options_.lines) return result;
  const Rows& from = is_marked() ? rows_at_begin_ : rows_at_start_;
  const Rows& to = is_marked() ? rows_at_end_ : rows_at_finish_;
  result.cores = to.size();
  static const protocol::LineRow kNothing;
  for (std::size_t core = 0; core < to.size(); ++core)
    for (const auto& [pc, last] : to[core]) {
      const auto before = from[core].find(pc);
      const protocol::LineRow& first = before == from[core].end() ? kNothing : before->second;
      protocol::LineRow& sum = result.rows[pc];
      for (std::size_t c = 0; c < sum.counts.size(); ++c) sum.counts[c] += last.counts[c] - first.counts[c];
      for (std::size_t r = 0; r < sum.cycles.size(); ++r) sum.cycles[r] += last.cycles[r] - first.cycles[r];
    }
  return result;
}

}  // namespace spica::energy
