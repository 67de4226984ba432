// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "platform/observe/sample/estimate.h"
#include "platform/observe/sample/sample_options.h"
#include "platform/observe/sample/segment_queue.h"
#include "platform/observe/sample/strata.h"

namespace spica::sample {

/// A sum over the run, projected from a sample.
struct Projected {
  double nominal = 0;
  double sampling = 0;  // half width of the interval for sampling errors
  double bias = 0;  // difference between units after one and after two units of warm-up, over the run
  double least_bias = 0;  // its part that is significant

  double half_width() const { return sampling + bias; }
};

/// How the first waves are drawn.
struct WavePlan {
  std::uint64_t strata = 16;
  /// One of this number of strata has a pair of waves, behind a wave of warm-up. The others have one wave, without warm-up if
  /// the pairs show that it changes nothing.
  std::uint64_t pair_every = 1;
  bool last_alone = false;  // the last wave of the middle is a stratum: a change near the end is seen
  /// Waves of an innermost loop, a row. 1: there are no rows. Two rows are simulated in order; those where one row ends and
  /// the next one begins, a turn, are not drawn: what the next row works on is not in caches yet.
  std::uint64_t row = 1;
};
/// Waves of grids depend on how work groups overlap.
inline constexpr WavePlan kWavesOfGrid{};
/// Units of loops end together, but are few.
constexpr WavePlan units_of_loop(std::uint64_t row) { return {7, 3, true, row}; }

/// A sample with rows.
struct SampledRows {
  std::size_t inside = 0, turn = 0;  // segments of the second row
  std::vector<std::uint64_t> drawn_from;  // waves of the middle that are not in turns
  std::uint64_t turns = 0;  // in the middle
};

/// Chooses the work groups of a grid that are simulated, and projects the whole grid from them. Units of a loop
/// (UnitLoop) take the place of work groups, one at once.
///
/// Unit       a wave: as many consecutive work groups, in the order of dispatch, as the machine holds at once. Its time
///            is that from the dispatch of its first work group to that of the next wave's, so the waves add up to the
///            run
/// Always     simulated: the first two waves, and more until caches are filled; the last whole wave with the rest of the
///            grid, to the end of the run
/// Sample     one wave of each stratum, and in pairs the next one, after a wave of warm-up. Work groups between them are
///            left out: the machine stays full. Strata with the largest share in the error are halved until the interval
///            is as narrow as wanted, for every metric
/// Bias       of the warm-up: the second wave of each pair has twice the warm-up of the first, which has one wave more
///            than the warm-up itself. With rows also half of the distance to what the row in order says
class WaveSample {
 public:
  /// What a finished segment of the queue took, by metric; empty: not known yet.
  using Measure = std::function<std::optional<std::vector<double>>(std::size_t segment)>;

  /// True once more waves at the begin change nothing: the caches are as full as they will be. `waves`: simulated so far.
  using Filled = std::function<bool(std::uint64_t waves)>;

  static constexpr std::uint64_t kFewestWaves = 30;

  /// `per_wave`: work groups of a wave.
  WaveSample(std::uint64_t groups, std::uint64_t per_wave, const WavePlan& plan, const SampleOptions& options,
             SegmentQueue& queue, Measure measure, Filled filled = {});

  /// The reason why a run of this number of whole waves cannot be sampled; "": it can. `what`: how many it has, in words.
  static std::string refusal(std::uint64_t waves, const std::string& what, const WavePlan& plan,
                             const SampleOptions& options);

  /// The projection by metric, of values that `measure` returns; after the run.
  std::vector<Projected> project(const Measure& measure) const;

  std::uint64_t groups() const { return groups_; }
  std::uint64_t waves() const { return waves_; }
  /// Waves that were measured, without warm-up.
  std::uint64_t measured_waves() const;
  /// True: the sample began before the caches were filled, because of `max`.
  bool cold() const { return cold_; }
  /// True: all work groups were simulated in order, and the projection is the run.
  bool whole() const { return options_.whole(); }
  /// True if the interval is as narrow as wanted.
  bool reached(const std::vector<Projected>& metrics) const;

 private:
  struct Wave {
    std::size_t segment = 0;
    unsigned warm = 0;  // waves of warm-up
    std::optional<std::size_t> before;  // segment of the warm-up, which had none
  };
  /// By metric: what the second wave of pairs takes more than the first, and the first more than its warm-up.
  struct Differences {
    std::vector<std::vector<double>> second, first;
  };
  /// Waves of the middle, by how those that were drawn for them were measured.
  struct Standing {
    double paired = 0, warm = 0, cold = 0;
  };

  void start();
  void refill();
  bool refine();
  bool add_waves();
  bool needs_warm_up() const;
  void add_bias(Projected& metric, const Standing& standing, const std::vector<double>& second,
                const std::vector<double>& first) const;
  void begin_rows();
  void draw();
  void add_rows(Projected& metric, Estimate& drawn, double inside, double turn) const;
  bool is_in_turn(std::uint64_t wave) const;
  std::uint64_t wave_of(const Stratum& one) const;
  void add_tail();
  std::size_t add(std::uint64_t begin, std::uint64_t end);
  std::optional<std::vector<double>> of_wave(std::uint64_t wave, const Measure& measure) const;
  std::vector<Projected> project_known(const Measure& measure, std::vector<Estimate>& estimates) const;
  /// Waves between begin and end.
  std::uint64_t middle() const { return waves_ - 1 - head_; }
  double allowed() const { return options_.most * static_cast<double>(groups_); }

  const std::uint64_t groups_, per_wave_, waves_;
  const WavePlan plan_;
  const SampleOptions options_;
  SegmentQueue& queue_;
  const Measure measure_;
  const Filled filled_;  // empty: always
  std::uint64_t head_ = 0;  // waves at the begin
  std::optional<Strata> strata_;  // of the waves between begin and end; empty: the begin is not over
  std::optional<SampledRows> rows_;  // empty: all waves of the middle may be drawn
  std::set<std::uint64_t> paired_;  // drawn waves that are measured with the next one
  std::map<std::uint64_t, Wave> measured_;  // by number of the wave
  std::vector<std::size_t> always_;  // segments that are not projected: begin and end
  std::uint64_t planned_ = 0;  // work groups
  std::size_t segments_ = 0;
  std::uint64_t next_ = 0;  // the wave after the last segment
  bool cold_ = false;
  bool pairs_only_ = true;  // the other strata have not begun
  bool warm_up_ = true;  // of single waves
};

}  // namespace spica::sample
