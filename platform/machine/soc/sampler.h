// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "platform/machine/soc/launch_series.h"
#include "platform/machine/soc/run_observer.h"

namespace spica::base {
class Checkpoint;
}

namespace spica::soc {

/// When a series is sampled: at the edges of windows of `length` cycles. At `most` edges, every second one is dropped
/// and the windows are twice as long, so that a run of any length has between half of them and all of them; 0: no
/// limit.
struct Windows {
  base::Cycle length;
  std::size_t most = 0;
  bool markers = false;  // also sampled at markers
};

/// Rows of numbers sampled from a running machine by one function: at start and end, at window edges, and at markers.
/// Sampling does not change the run.
template <class Value>
class Series {
 public:
  using Row = std::vector<Value>;
  /// A row, and the cycle before which it was sampled.
  struct Sample {
    base::Cycle cycle = base::kNever;
    Row values;
    bool taken() const { return cycle != base::kNever; }
  };
  /// The counts of begin <= cycle < end.
  struct Span {
    base::Cycle begin = 0, end = 0;
    Row counts;
    double cycles() const { return static_cast<double>(end - begin); }
  };
  using Read = std::function<Row(base::Cycle)>;
  using Listener = std::function<void(const Span&)>;
  static constexpr std::size_t kMostRegions = 1000;

  Series(Read read, Windows windows) : read_(std::move(read)), windows_(windows) {}

  /// Calls `listener` for each window instead of storing its edge.
  void listen(Listener listener) { listener_ = std::move(listener); }

  const Sample& start() const { return start_; }
  const Sample& finish() const { return finish_; }
  /// The samples of the first begin marker and the last end marker; not taken if there is none.
  const Sample& first_begin() const { return first_begin_; }
  const Sample& last_end() const { return last_end_; }
  const std::vector<Sample>& edges() const { return edges_; }
  base::Cycle window_length() const { return windows_.length; }

  /// True if there is a begin marker and later an end marker.
  bool is_marked() const {
    return first_begin_.taken() && last_end_.taken() && last_end_.cycle > first_begin_.cycle;
  }
  Span whole() const { return between(start_, finish_); }
  /// From the first begin marker to the last end marker; the whole run if there is no marked region.
  Span marked() const { return is_marked() ? between(first_begin_, last_end_) : whole(); }
  /// Consecutive windows that cover the whole run.
  std::vector<Span> steps() const;
  /// The regions in which more begin than end markers had been executed. At most kMostRegions; the remaining time is
  /// then one region.
  std::vector<Span> regions() const;

  static Span between(const Sample& from, const Sample& to) {
    Span span{from.cycle, to.cycle, to.values};
    for (std::size_t i = 0; i < span.counts.size(); ++i) span.counts[i] -= from.values[i];
    return span;
  }

  // -- for the driver of the run, see RunObserver
  void begin(base::Cycle cycle);
  base::Cycle next_edge() const { return next_edge_; }
  void at_edge(base::Cycle cycle);
  void at_markers(base::Cycle cycle, unsigned begins, unsigned ends);
  void end(base::Cycle cycle);
  /// Drops all samples.
  void reset();
  /// Starts with zero rows in cycle 0, without a sample.
  void begin_at_0() { start_ = {0, Row(start_.values.size())}; }
  bool listened() const { return listener_ != nullptr; }
  /// The series and its windows; a saved state of another kind does not fit.
  std::vector<std::uint64_t> kind() const {
    return {start_.values.size(), windows_.most, windows_.markers, listener_ != nullptr};
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(windows_.length, next_edge_, start_, finish_, first_begin_, last_end_, reported_, edges_,
            regions_, open_markers_);
  }

 private:
  Sample sample(base::Cycle cycle) const { return {cycle, read_(cycle)}; }
  void report(Sample now);

  const Read read_;
  Windows windows_;
  Listener listener_;
  base::Cycle next_edge_ = base::kNever;
  Sample start_, finish_, first_begin_, last_end_;
  Sample reported_;  // the end of the last window reported to the listener
  std::vector<Sample> edges_;
  std::vector<std::pair<Sample, Sample>> regions_;  // the end of an open region is not taken
  long open_markers_ = 0;
};

/// Counters whose differences count: 64-bit accounts and counters, energy events.
using CounterSeries = Series<std::uint64_t>;
using EventSeries = Series<double>;
extern template class Series<std::uint64_t>;
extern template class Series<double>;

/// All series of a machine, owned by the session. Add series before the run.
class Sampler final : public RunObserver {
 public:
  /// `catch_up`: updates lazy counters; called before series are sampled.
  explicit Sampler(std::function<void()> catch_up) : catch_up_(std::move(catch_up)) {}

  /// The series lives as long as the sampler. `read` receives the cycle.
  CounterSeries& add_counters(CounterSeries::Read read, Windows windows);
  EventSeries& add_events(EventSeries::Read read, Windows windows);
  LaunchSeries& add_launches(LaunchSeries::Read read, LaunchSeries::Runs runs, LaunchSeries::Group group);

  /// Saves or loads all samples. For a series that the saved run did not have, markers and windows before this point
  /// are missing: returns false. Series with a listener start here.
  bool checkpoint(base::Checkpoint& checkpoint);

  // RunObserver
  void begin(base::Cycle cycle) override;
  base::Cycle next_edge() const override;
  void at_edge(base::Cycle cycle) override;
  void at_markers(base::Cycle cycle, unsigned begins, unsigned ends) override;
  bool follows_launches() const override { return !launches_.empty(); }
  void at_launches(base::Cycle cycle) override;
  void end(base::Cycle cycle) override;

 private:
  bool empty() const { return counters_.empty() && events_.empty() && launches_.empty(); }
  template <class AnySeries>
  static bool checkpoint_all(std::vector<std::unique_ptr<AnySeries>>& all, base::Checkpoint& checkpoint);
  template <class Visit>
  void for_all(Visit&& visit) const;

  const std::function<void()> catch_up_;
  std::vector<std::unique_ptr<CounterSeries>> counters_;
  std::vector<std::unique_ptr<EventSeries>> events_;
  std::vector<std::unique_ptr<LaunchSeries>> launches_;
};

}  // namespace spica::soc
