// SPDX-License-Identifier: Apache-2.0
// The cost of a run on machines one step away from its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "platform/studies/sweep/machine_steps.h"
#include "platform/studies/sweep/run_again.h"

namespace spica::sweep {

/// A machine one step away, and the cost of the run on it.
struct Neighbour {
  Step step;
  RunCost cost;

  /// Saved share of the run's time; negative: lost.
  double gain(const RunCost& before) const { return 1 - cost.microseconds / before.microseconds; }
};

struct NeighbourhoodOptions {
  std::uint64_t budget = 150;  // maximum number of runs
  double threshold = 0.005;  // smallest reported change of time or energy
  unsigned jobs = 1;
};

struct Neighbourhood {
  Itself itself;
  /// Steps to better hardware that programs do not see (`found`), and steps that programs see or are recompiled for
  /// (`of_program`). Only those that change time or energy by at least the threshold, largest gain of time first.
  std::vector<Neighbour> found, of_program;
  std::vector<Step> refused;  // no such machine exists, or the program cannot run on it
  /// The noise floor: the largest gain of a machine that is worse in all its changes, because interleaving happens to
  /// improve. Gains up to it say nothing about hardware.
  double noise = 0;
  std::vector<std::string> noise_from;  // overrides of that machine
  std::uint64_t noise_runs = 0;
  std::uint64_t parameters = 0;  // with a better direction, or chosen by programs
  std::uint64_t runs = 0;  // including the run itself
  std::vector<std::string> tried;  // keys, each tried alone
  std::vector<std::string> without_effect;  // keys; tried together in a group without effect
  std::vector<std::string> not_tried;  // keys; the budget was used up
  std::uint64_t enough = 0;  // budget sufficient for all

  /// The steps of one of these lists whose gain exceeds the noise.
  std::vector<Neighbour> advice(const std::vector<Neighbour>& list, double threshold) const;
};

/// Runs the neighbours of a run. A quarter of the budget is for parameters that programs see, an eighth for worse
/// machines, whose gains are the noise, and the rest for better hardware. There, groups of parameters come first,
/// starting with those indicated by the accounts of the run; then parts of the groups with the largest effect, down to
/// single parameters. Parameters whose effects cancel exactly can be missed. The result does not depend on the number
/// of jobs. Throws UserError for too small a budget, and as run_itself() does.
Neighbourhood neighbourhood(const std::vector<std::string>& words, const std::filesystem::path& configs_dir,
                            const NeighbourhoodOptions& options);

}  // namespace spica::sweep
