// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/protocol/host_queues/work_group.h"
#include "platform/base/json/value.h"
#include "platform/machine/soc/launch_series.h"
#include "platform/observe/energy/recorder.h"
#include "platform/observe/sample/sample_options.h"
#include "platform/observe/sample/segment_queue.h"
#include "platform/observe/sample/wave_sample.h"

namespace spica::session {
class Session;
}

namespace spica::job {

struct JobOptions;
class Launches;

/// A grid of which only a sample of the work groups is simulated, and the run projected from them.
class SampledGrid {
 public:
  /// Before the run; all arguments must outlive it. `grid`: what the session will run. Throws UserError if the grid is too small for a sample.
  SampledGrid(const sample::SampleOptions& options, const protocol::GridLaunch& grid,
              session::Session& session, Launches& launches);

  /// The refusals that depend on options only. Throws UserError with all of them.
  static void check_options(const JobOptions& options);

  /// True: no work group is left out.
  bool whole() const { return sample_->whole(); }

  // -- after the run
  /// Projects the whole grid. Throws UserError if work groups depend on others: the sample then says nothing.
  void finish();
  /// Cycles that were not simulated; negative if warm-up took longer than they would have.
  std::int64_t added_cycles() const;
  /// Half width of the interval of cycles.
  double cycles_half_width() const;
  /// Events that were not simulated, by channel, in these cycles. `whole`: those that were simulated.
  energy::Span added_events(const energy::Span& whole) const;
  std::uint64_t warp_instructions() const;
  std::uint64_t lane_instructions() const;
  /// "sample" of stats.json.
  json::Value json() const;
  /// One line each: the work that was simulated, and the intervals.
  std::vector<std::string> lines() const;

 private:
  /// Cycles, energy in uJ; then, after the run, instructions, counters of all types and energy events.
  std::vector<double> values(std::size_t segment, bool all) const;
  std::optional<std::vector<double>> metrics(std::size_t segment) const;
  void refuse_dependent() const;
  bool is_filled(std::uint64_t waves) const;

  const sample::SampleOptions options_;
  Launches& launches_;
  sample::SegmentQueue queue_;
  std::optional<sample::WaveSample> sample_;
  std::vector<sample::Projected> projected_;  // in the order of values()
  std::vector<double> simulated_;  // in the same order: the whole run
  double lines_of_level_2_ = 0;
  bool has_energy_ = false;
};

}  // namespace spica::job
