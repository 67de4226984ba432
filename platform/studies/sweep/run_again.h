// SPDX-License-Identifier: Apache-2.0
// A run of a program that is made again, on its own machine or on another one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spica::sweep {

/// A command line of gemm, attention, run, stream or concurrent, from the name of the job on, without what writes files
/// or prints more. Throws UserError when it is none of these.
std::vector<std::string> run_again(const std::vector<std::string>& words);
/// From the command line that `folder`/stats.json names. Also throws UserError where there is none.
std::vector<std::string> run_again_of(const std::filesystem::path& folder);

/// The working directory of that run, from which its command line names files; the present one where it is not known,
/// or not there.
std::filesystem::path folder_of_run(const std::filesystem::path& folder);

/// What a run took.
struct RunCost {
  std::uint64_t cycles = 0;
  double microseconds = 0;
  std::optional<double> energy_uj;  // in the timed region, idle power and main memory included
  std::optional<double> area_mm2;
};

/// A machine to run on, as what differs from that of the run.
struct Trial {
  std::vector<std::string> overrides;
  double mhz = 0;  // of its cores
  RunCost cost;
  std::string refused;  // why there is no result; empty: it ran
};

/// Runs all of them, at most `jobs` at a time, without output.
void run_trials(const std::vector<std::string>& words, std::vector<Trial>& trials, unsigned jobs);

/// The run itself, made again, with what it says of itself and of its machine.
struct Itself {
  std::vector<std::string> words;  // what neighbours are run with
  std::string config;  // file with all values of its machine
  std::shared_ptr<const void> files;  // while it lives, the file is there
  double mhz = 0;  // as of a Trial
  RunCost cost;
  std::string no_energy;  // why energy cannot be measured; empty: it is
  std::map<std::string, double> parts, channels;  // time_by_part and channels of its results
};
/// Throws UserError when it cannot be made again, or not in the cycle mode.
Itself run_itself(const std::vector<std::string>& words);

}  // namespace spica::sweep
