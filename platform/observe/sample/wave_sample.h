// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
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

/// Chooses the work groups of a grid that are simulated, and projects the whole grid from them.
///
/// Unit       a wave: as many consecutive work groups, in the order of dispatch, as the machine holds at once. Its time
///            is that from the dispatch of its first work group to that of the next wave's, so the waves add up to the
///            run
/// Always     simulated: the first two waves, and more until caches are filled; the last whole wave with the rest of the
///            grid, to the end of the run
/// Sample     one wave of each stratum, and the next one, after a wave of warm-up. Work groups between them are left
///            out: the machine stays full. Strata with the largest share in the error are halved until the interval is
///            as narrow as wanted, for every metric
/// Bias       of the warm-up: the second wave of each pair has twice the warm-up of the first
class WaveSample {
 public:
  /// What a finished segment of the queue took, by metric; empty: not known yet.
  using Measure = std::function<std::optional<std::vector<double>>(std::size_t segment)>;

  /// True once more waves at the begin change nothing: the caches are as full as they will be. `waves`: simulated so far.
  using Filled = std::function<bool(std::uint64_t waves)>;

  static constexpr std::uint64_t kFewestWaves = 30;
  static constexpr std::uint64_t kFirstStrata = 16;

  /// `per_wave`: work groups of a wave.
  WaveSample(std::uint64_t groups, std::uint64_t per_wave, const SampleOptions& options, SegmentQueue& queue,
             Measure measure, Filled filled = {});

  /// The reason why this grid cannot be sampled; "": it can.
  static std::string refusal(std::uint64_t groups, std::uint64_t per_wave, const SampleOptions& options);

  /// The projection by metric, of values that `measure` returns; after the run.
  std::vector<Projected> project(const Measure& measure) const;

  std::uint64_t groups() const { return groups_; }
  std::uint64_t waves() const { return waves_; }
  /// Waves that were measured, without warm-up.
  std::uint64_t measured_waves() const;
  /// True: the sample began before the caches were filled, because of `max`.
  bool cold() const { return cold_; }
  /// True: all work groups were simulated in order, and the projection is the run.
  bool whole() const { return whole_; }
  /// True if the interval is as narrow as wanted.
  bool reached(const std::vector<Projected>& metrics) const;

 private:
  struct Wave {
    std::size_t segment = 0;
    unsigned warm = 0;  // waves of warm-up
  };

  void start();
  void refill();
  void refine();
  bool add_pairs();
  void add_tail();
  std::size_t add(std::uint64_t begin, std::uint64_t end);
  std::optional<std::vector<double>> of_wave(std::uint64_t wave, const Measure& measure) const;
  std::vector<Projected> project_known(const Measure& measure, std::vector<Estimate>& estimates) const;
  /// Waves between begin and end.
  std::uint64_t middle() const { return waves_ - 1 - head_; }
  double allowed() const { return options_.most * static_cast<double>(groups_); }

  const std::uint64_t groups_, per_wave_, waves_;
  const SampleOptions options_;
  SegmentQueue& queue_;
  const Measure measure_;
  const Filled filled_;  // empty: always
  std::uint64_t head_ = 0;  // waves at the begin
  std::optional<Strata> strata_;  // of the waves between begin and end; empty: the begin is not over
  std::map<std::uint64_t, Wave> measured_;  // by number of the wave
  std::vector<std::size_t> always_;  // segments that are not projected: begin and end
  std::uint64_t planned_ = 0;  // work groups
  std::size_t segments_ = 0;
  std::uint64_t next_ = 0;  // the wave after the last segment
  bool cold_ = false;
  bool whole_ = false;
};

}  // namespace spica::sample
