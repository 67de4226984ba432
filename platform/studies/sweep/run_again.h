// SPDX-License-Identifier: Apache-2.0
// Repeats a run of a program, on its own machine or on others.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spica::sweep {

/// The command line of gemm, attention, run, stream or concurrent, from the job's name on, without options that write
/// files or add output. Throws UserError for other commands.
std::vector<std::string> run_again(const std::vector<std::string>& words);
/// From the command line in `folder`/stats.json. Also throws UserError if there is none.
std::vector<std::string> run_again_of(const std::filesystem::path& folder);

/// The working directory of that run, to which file names in its command line are relative; the current one if it is
/// unknown or missing.
std::filesystem::path folder_of_run(const std::filesystem::path& folder);

/// The cost of a run.
struct RunCost {
  std::uint64_t cycles = 0;
  double microseconds = 0;
  std::optional<double> energy_uj;  // in the timed region, including idle power and main memory
  std::optional<double> area_mm2;
};

/// A machine to run on, as differences from that of the run.
struct Trial {
  std::vector<std::string> overrides;
  double mhz = 0;  // of its cores
  RunCost cost;
  std::string refused;  // reason for a missing result; empty: it ran
};

/// Runs all trials, at most `jobs` at a time, without output.
void run_trials(const std::vector<std::string>& words, std::vector<Trial>& trials, unsigned jobs);

/// The repeated run, with its results and the data of its machine.
struct Itself {
  std::vector<std::string> words;  // command line for neighbours
  std::string config;  // file with all parameter values of its machine
  std::shared_ptr<const void> files;  // keeps the file alive
  double mhz = 0;  // as in Trial
  RunCost cost;
  std::string no_energy;  // reason why energy cannot be measured; empty: measured
  std::map<std::string, double> parts, channels;  // time_by_part and channels of its results
};
/// Throws UserError if it cannot be repeated in the cycle mode.
Itself run_itself(const std::vector<std::string>& words);

}  // namespace spica::sweep
