// SPDX-License-Identifier: Apache-2.0
// What a run would cost on machines one step away from its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "platform/studies/sweep/machine_steps.h"
#include "platform/studies/sweep/run_again.h"

namespace spica::sweep {

/// A machine one step away, and what the run costs on it.
struct Neighbour {
  Step step;
  RunCost cost;

  /// Part of the time of the run that is saved; below 0: lost.
  double gain(const RunCost& before) const { return 1 - cost.microseconds / before.microseconds; }
};

struct NeighbourhoodOptions {
  std::uint64_t budget = 150;  // runs
  double threshold = 0.005;  // smallest change of time or energy that is reported
  unsigned jobs = 1;
};

struct Neighbourhood {
  Itself itself;
  /// Steps to better hardware that programs do not see, and what a step costs for which the program is compiled anew,
  /// or which it sees otherwise. Those that change the time or the energy by the threshold, the largest gain of time
  /// first.
  std::vector<Neighbour> found, of_program;
  std::vector<Step> refused;  // no machine has them, or the program cannot run there
  /// The largest gain of a machine that is worse in all that differs: the noise floor, where interleaving happens to be
  /// a better one. Gains up to it say nothing about hardware.
  double noise = 0;
  std::vector<std::string> noise_from;  // overrides of that machine
  std::uint64_t noise_runs = 0;
  std::uint64_t parameters = 0;  // that have a better direction, or that programs choose
  std::uint64_t runs = 0;  // with the run itself
  std::vector<std::string> tried;  // keys, each by itself
  std::vector<std::string> without_effect;  // keys; all of a group together changed nothing
  std::vector<std::string> not_tried;  // keys; the budget was at its end
  std::uint64_t enough = 0;  // a budget that tries all

  /// Steps whose gain is more than noise, of one of the lists above.
  std::vector<Neighbour> advice(const std::vector<Neighbour>& list, double threshold) const;
};

/// Runs the neighbours of a run. A quarter of the budget is for what programs see, an eighth for machines that are
/// worse, whose gains are the noise; the rest for steps to better hardware: groups of parameters first, those at which
/// the accounts of the run point before others, then parts of the groups with the largest effect, down to single
/// parameters. Parameters whose effects undo each other exactly can be missed. The same for any number of jobs. Throws
/// UserError for a budget that is too small, and as run_itself() does.
Neighbourhood neighbourhood(const std::vector<std::string>& words, const std::filesystem::path& configs_dir,
                            const NeighbourhoodOptions& options);

}  // namespace spica::sweep
