// SPDX-License-Identifier: Apache-2.0
// What a run would cost on machines one step away from its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/json/value.h"

namespace spica::sweep {

/// A command line of gemm, attention or run, without what writes files or prints more: what a run is made again with.
struct RunAgain {
  std::vector<std::string> words;  // from the name of the job on
  std::string config;  // the configuration it runs on, as a name or a file
  std::vector<std::string> overrides;
  bool has_area = false;  // it can say the area of its machine
};

/// From a command line, its words from the name of the job on.
RunAgain run_again(const std::vector<std::string>& words, const std::filesystem::path& configs_dir);
/// From the command line that `folder`/stats.json names. Throws UserError where there is none, or it is no run of a program.
RunAgain run_again_of(const std::filesystem::path& folder, const std::filesystem::path& configs_dir);

/// One parameter, one step away.
struct Neighbour {
  std::string key;
  std::string unit;
  std::uint64_t value = 0, tried = 0;
  std::uint64_t cycles = 0;
  std::optional<double> energy_uj;  // active, where the run measures it
  std::optional<double> area_mm2;  // of that machine, in the cycle mode
  std::string refused;  // why there is no such machine; empty: it ran

  /// Part of the cycles of the run that are saved; below 0: lost.
  double gain(std::uint64_t before) const {
    return 1 - static_cast<double>(cycles) / static_cast<double>(before);
  }
};

struct NeighbourhoodOptions {
  std::uint64_t budget = 100;  // runs
  double threshold = 0.005;  // smallest change of cycles that is told
  unsigned jobs = 1;
};

struct Neighbourhood {
  std::uint64_t cycles = 0;  // of the run itself, made again
  std::optional<double> energy_uj, area_mm2;
  std::vector<Neighbour> found;  // those that change the cycles by the threshold, the largest gain first
  /// The largest gain from a longer latency, which by itself can only cost: so much is the order of events, where it happens
  /// to be a better one. Gains below it say nothing about their parameter.
  double jitter = 0;
  std::uint64_t parameters = 0;  // whole numbers that are a matter of time or size alone
  std::uint64_t runs = 0;
  std::vector<std::string>
      without_effect;  // groups of parameters, or keys, that change nothing, all of them a step better or worse
  std::vector<std::string> not_tried;  // keys; the budget was at its end
};

/// The value one step away: the next power of two where only these are legal, else an eighth more or less, at least 1.
/// Nothing: it would leave the range.
std::optional<std::uint64_t> one_step(std::uint64_t value, double lowest, double highest, bool power_of_two,
                                      bool up);

/// Runs the neighbours of a run: first all parameters of a group together, a step to what is faster and a step to what is
/// slower; then those of groups that have an effect one by one, until the budget is at its end. A budget that is too small for
/// that divides all parameters in two, and again those that gain most, down to single ones. A set of which
/// such a machine cannot be built counts as one with an effect. Parameters whose effects undo each other exactly can be missed.
Neighbourhood neighbourhood(const RunAgain& run, const std::filesystem::path& configs_dir,
                            const NeighbourhoodOptions& options);

}  // namespace spica::sweep
