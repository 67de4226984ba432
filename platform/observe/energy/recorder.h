// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/power/activity.h"
#include "models/protocol/ports/line_profile.h"
#include "platform/machine/soc/sampler.h"

namespace spica::soc {
class MeasuredMachine;
}

namespace spica::energy {

/// Events of a period, by channel of the activity.
using Span = soc::EventSeries::Span;

/// Events and issue cycles by program counter, summed over cores.
struct LineActivity {
  std::uint64_t cores = 0;
  protocol::LineRows rows;
};

/// Records the activity of a running machine: its events over time and in the marked region and, if requested, by
/// program counter.
class Recorder final : public soc::RunObserver {
 public:
  struct Options {
    base::Cycle window = 0;  // length of a step; 0: chosen so that the run has 100 to 200 steps
    bool lines = false;  // also count by program counter
  };

  Recorder(soc::MeasuredMachine& soc, soc::Sampler& sampler, const Options& options);

  // soc::RunObserver
  void begin(base::Cycle cycle) override;
  base::Cycle next_edge() const override { return base::kNever; }
  void at_edge(base::Cycle) override {}
  void at_markers(base::Cycle cycle, unsigned begins, unsigned ends) override;
  void end(base::Cycle cycle) override;

  // -- after the run
  const power::Activity& activity() const { return activity_; }
  /// True if there is a marked region: a begin marker, and later an end marker.
  bool is_marked() const { return series_.is_marked(); }
  /// From the first begin marker to the last end marker; without markers the whole run.
  Span window() const { return with_projected(series_.marked()); }
  Span whole() const { return with_projected(series_.whole()); }
  /// Power over time: consecutive periods that make up the whole run; what was projected is the last one.
  std::vector<Span> steps() const;
  base::Cycle step_length() const { return series_.window_length(); }
  /// See soc::Series.
  std::vector<Span> regions() const { return projected_ ? std::vector{window()} : series_.regions(); }
  /// The blocks' own figures of the run within window(): {"warp_instructions", 1234}.
  std::vector<std::pair<std::string, std::uint64_t>> figures() const;
  /// The same as window(), by program counter.
  LineActivity lines() const;
  bool has_lines() const { return options_.lines; }

  /// Only a part of the run was simulated: window() and whole() also have these events, by channel of the activity, and
  /// this time. The regions are then one.
  void project(Span rest) { projected_ = std::move(rest); }

 private:
  using Rows = std::vector<protocol::LineRows>;  // by core
  Rows profile(base::Cycle cycle) const;
  Span with_projected(Span span) const;

  static constexpr base::Cycle kFirstWindow = 100;
  static constexpr std::size_t kMostSteps = 200;

  soc::MeasuredMachine& soc_;
  const Options options_;
  power::Activity activity_;
  soc::EventSeries& series_;
  std::optional<Span> projected_;
  bool region_started_ = false;  // the marked region has begun
  Rows rows_at_start_, rows_at_begin_, rows_at_end_, rows_at_finish_;
};

}  // namespace spica::energy
