// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/sampler.h"

#include <algorithm>
#include <sstream>

#include "models/base/checkpoint.h"

namespace spica::soc {

template <class Value>
void Series<Value>::begin(base::Cycle cycle) {
  reported_ = start_ = sample(cycle);
  next_edge_ = (cycle / windows_.length + 1) * windows_.length;
}

template <class Value>
void Series<Value>::at_edge(base::Cycle cycle) {
  Sample now = sample(cycle);
  if (listener_) report(std::move(now));
  else edges_.push_back(std::move(now));
  if (windows_.most != 0 && edges_.size() == windows_.most) {
    windows_.length *= 2;
    const auto goes = [this](const Sample& edge) { return edge.cycle % windows_.length != 0; };
    edges_.erase(std::remove_if(edges_.begin(), edges_.end(), goes), edges_.end());
  }
  next_edge_ = (cycle / windows_.length + 1) * windows_.length;
}

template <class Value>
void Series<Value>::at_markers(base::Cycle cycle, unsigned begins, unsigned ends) {
  if (!windows_.markers) return;
  const Sample now = sample(cycle);
  const bool was_open = open_markers_ > 0;
  open_markers_ = std::max(0L, open_markers_ + static_cast<long>(begins) - static_cast<long>(ends));
  if (begins != 0 && !first_begin_.taken()) first_begin_ = now;
  if (ends != 0) last_end_ = now;
  if (!was_open && open_markers_ > 0 && regions_.size() < kMostRegions) regions_.push_back({now, {}});
  if (was_open && open_markers_ == 0) regions_.back().second = now;
}

template <class Value>
void Series<Value>::end(base::Cycle cycle) {
  finish_ = sample(cycle);
  if (listener_ && reported_.cycle < cycle) report(finish_);  // the rest
}

template <class Value>
void Series<Value>::reset() {
  start_ = finish_ = first_begin_ = last_end_ = reported_ = {};
  edges_.clear();
  regions_.clear();
  open_markers_ = 0;
  next_edge_ = base::kNever;
}

template <class Value>
void Series<Value>::report(Sample now) {
  listener_(between(reported_, now));
  reported_ = std::move(now);
}

template <class Value>
std::vector<typename Series<Value>::Span> Series<Value>::steps() const {
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

template <class Value>
std::vector<typename Series<Value>::Span> Series<Value>::regions() const {
  std::vector<Span> spans;
  for (const auto& [from, to] : regions_) spans.push_back(between(from, to.taken() ? to : finish_));
  return spans;
}

template class Series<std::uint64_t>;
template class Series<double>;

CounterSeries& Sampler::add_counters(CounterSeries::Read read, Windows windows) {
  return *counters_.emplace_back(std::make_unique<CounterSeries>(std::move(read), windows));
}
EventSeries& Sampler::add_events(EventSeries::Read read, Windows windows) {
  return *events_.emplace_back(std::make_unique<EventSeries>(std::move(read), windows));
}

LaunchSeries& Sampler::add_launches(LaunchSeries::Read read, LaunchSeries::Runs runs,
                                    LaunchSeries::Group group) {
  return *launches_.emplace_back(
      std::make_unique<LaunchSeries>(std::move(read), std::move(runs), std::move(group)));
}

template <class Visit>
void Sampler::for_all(Visit&& visit) const {
  for (const auto& series : counters_) visit(*series);
  for (const auto& series : events_) visit(*series);
}

template <class AnySeries>
bool Sampler::checkpoint_all(std::vector<std::unique_ptr<AnySeries>>& all, base::Checkpoint& checkpoint) {
  std::vector<std::pair<std::vector<std::uint64_t>, std::string>> states;
  if (!checkpoint.loads())
    for (auto& series : all) {
      std::ostringstream out;
      base::Checkpoint to(out);
      to(*series);
      states.emplace_back(series->kind(), out.str());
    }
  checkpoint(states);
  if (!checkpoint.loads()) return true;
  bool complete = true;
  for (auto& series : all) {
    const auto same = std::find_if(states.begin(), states.end(),
                                   [&](const auto& state) { return state.first == series->kind(); });
    if (same == states.end()) {
      if (series->listened()) continue;
      series->begin_at_0();
      complete = false;
      continue;
    }
    std::istringstream in(same->second);
    base::Checkpoint from(in);
    from(*series);
    states.erase(same);
  }
  return complete;
}

bool Sampler::checkpoint(base::Checkpoint& checkpoint) {
  const bool counters = checkpoint_all(counters_, checkpoint);
  const bool events = checkpoint_all(events_, checkpoint);
  checkpoint_all(launches_, checkpoint);  // without markers, so a part of the run can be missing
  return counters && events;
}

void Sampler::begin(base::Cycle cycle) {
  if (empty()) return;
  catch_up_();
  for_all([cycle](auto& series) { series.begin(cycle); });
  for (const auto& series : launches_) series->begin(cycle);
}

base::Cycle Sampler::next_edge() const {
  base::Cycle next = base::kNever;
  for_all([&next](const auto& series) { next = std::min(next, series.next_edge()); });
  return next;
}

void Sampler::at_edge(base::Cycle cycle) {
  catch_up_();
  for_all([cycle](auto& series) {
    if (series.next_edge() == cycle) series.at_edge(cycle);
  });
}

void Sampler::at_markers(base::Cycle cycle, unsigned begins, unsigned ends) {
  if (counters_.empty() && events_.empty()) return;
  catch_up_();
  for_all([&](auto& series) { series.at_markers(cycle, begins, ends); });
}

void Sampler::at_launches(base::Cycle cycle) {
  if (launches_.empty()) return;
  catch_up_();
  for (const auto& series : launches_) series->at_launches(cycle);
}

void Sampler::end(base::Cycle cycle) {
  if (empty()) return;
  catch_up_();
  for_all([cycle](auto& series) { series.end(cycle); });
  for (const auto& series : launches_) series->end(cycle);
}

}  // namespace spica::soc
