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
#include "platform/observe/sample/unit_loop.h"
#include "platform/observe/sample/wave_sample.h"
#include "platform/run/launches.h"

namespace spica::loader {
struct Program;
}
namespace spica::session {
class Session;
}
namespace spica::soc {
class MeasuredMachine;
}

namespace spica::job {

struct JobOptions;

/// A run of which only a sample of the units is simulated, and the whole run projected from them: work groups of a grid,
/// or units of a loop that all warps do (simt_units() in sw/lib/include/simt.h).
class SampledRun {
 public:
  /// Before the run; all arguments must outlive it. Throws UserError if the session's grid is too small for a sample.
  SampledRun(const sample::SampleOptions& options, session::Session& session, Launches& launches);

  /// The refusals that depend on options only. Throws UserError with all of them.
  static void check_options(const JobOptions& options);
  /// True if the program has instructions that mark units.
  static bool has_units(const loader::Program& program);

  /// True: nothing is left out.
  bool whole() const { return options_.whole(); }
  /// Known when the loop has begun; "": the run can be sampled.
  const std::string& refusal() const;

  // -- after the run
  /// Projects the whole run. Throws UserError if units depend on others: the sample then says nothing.
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
  static std::vector<double> values(const Launches::Counted& counted, bool all);
  std::vector<double> values(std::size_t segment, bool all) const;
  std::optional<std::vector<double>> metrics(std::size_t segment) const;
  void sample_grid(const protocol::GridLaunch& grid, session::Session& session);
  void sample_loop(soc::MeasuredMachine& machine);
  void begin(std::uint64_t units, std::uint64_t per_wave, const sample::WavePlan& plan);
  void refuse_dependent() const;
  double share_simulated() const;
  bool is_loop() const { return loop_.has_value(); }
  bool is_filled(std::uint64_t waves) const;

  const sample::SampleOptions options_;
  Launches& launches_;
  sample::SegmentQueue queue_;
  std::optional<sample::UnitLoop> loop_;  // empty: a grid
  std::optional<sample::WaveSample> sample_;  // empty: the loop has not begun
  std::vector<sample::Projected> projected_;  // in the order of values()
  std::vector<double> simulated_;  // in the same order: the whole run
  double lines_of_level_2_ = 0;
  bool has_energy_ = false;
};

}  // namespace spica::job
