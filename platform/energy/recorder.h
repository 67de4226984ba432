// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/power/activity.h"
#include "models/simt_core/pc_profile.h"
#include "platform/soc/run_observer.h"

namespace spica::soc {
class Soc;
}

namespace spica::energy {

/// Events of a stretch of time, by channel of the activity; cycles begin <= c < end.
struct Span {
  base::Cycle begin = 0, end = 0;
  std::vector<double> counts;

  double cycles() const { return static_cast<double>(end - begin); }
};

/// What happened at each program counter: events and issue cycles, summed over cores.
struct LineActivity {
  std::uint64_t cores = 0;
  simt_core::PcProfile::Rows rows;
};

/// Looks at the counters of a machine while it runs: at the edges of windows of equal length, and at markers.
class Recorder final : public soc::RunObserver {
 public:
  struct Options {
    base::Cycle window = 0;  // 0: chosen so that the run has 100 to 200 of them
    bool lines = false;  // count by program counter too
  };

  Recorder(soc::Soc& soc, const Options& options);

  // soc::RunObserver
  void begin(base::Cycle cycle) override;
  base::Cycle next_edge() const override { return next_edge_; }
  void at_edge(base::Cycle cycle) override;
  void at_markers(base::Cycle cycle, unsigned begins, unsigned ends) override;
  void end(base::Cycle cycle) override;

  // -- when the run is over
  const power::Activity& activity() const { return activity_; }
  /// There is a marked region: a begin marker, and later an end marker.
  bool is_marked() const {
    return first_begin_.taken() && last_end_.taken() && last_end_.cycle > first_begin_.cycle;
  }
  /// From the first begin marker to the last end marker; the whole run when there are none.
  Span window() const;
  Span whole() const { return between(start_, finish_); }
  /// Power over time: consecutive stretches that make up the whole run.
  std::vector<Span> steps() const;
  base::Cycle step_length() const { return window_; }
  /// Stretches in which more begin than end markers had been executed. At most kMaxRegions; then the
  /// remaining time counts as one.
  std::vector<Span> regions() const;
  /// A counter of all blocks of a type within window(): "core", "warp_instructions".
  std::uint64_t statistic(const std::string& type, const std::string& counter) const;
  /// The same as window(), by program counter.
  LineActivity lines() const;
  bool has_lines() const { return options_.lines; }

  static constexpr std::size_t kMaxRegions = 1000;

 private:
  using Rows = std::vector<simt_core::PcProfile::Rows>;  // by core
  struct Sample {
    base::Cycle cycle = base::kNever;
    std::vector<double> counts;
    bool taken() const { return cycle != base::kNever; }
  };

  Sample sample(base::Cycle cycle) const;
  Rows profile(base::Cycle cycle) const;
  static Span between(const Sample& from, const Sample& to);

  static constexpr base::Cycle kFirstWindow = 100;
  static constexpr std::size_t kMostSteps = 200;

  soc::Soc& soc_;
  const Options options_;
  power::Activity activity_;
  base::Cycle window_, next_edge_ = base::kNever;
  Sample start_, finish_, first_begin_, last_end_;
  std::vector<Sample> edges_;
  std::vector<std::pair<Sample, Sample>> regions_;  // the end of an open one is not taken
  long open_markers_ = 0;
  Rows rows_at_start_, rows_at_begin_, rows_at_end_, rows_at_finish_;
};

}  // namespace spica::energy
