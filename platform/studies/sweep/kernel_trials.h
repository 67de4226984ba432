// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/workloads/concurrent/tuning.h"
#include "platform/workloads/places.h"

namespace spica::sweep {

/// Where and how trials run.
struct TrialRuns {
  std::filesystem::path folder;  // of their sweep; records in it are reused
  unsigned jobs = 1;
  std::uint64_t rounds = 1;  // repetitions of the product in a run; times are divided by it
};

/// Runs the trials of one step of tuning as a sweep, which stays in the folder. Results are in the order of the trials,
/// see concurrent::Measure. Throws UserError.
std::vector<std::optional<concurrent::Measured>> run_trials(const std::vector<concurrent::Trial>& trials,
                                                            const std::string& step, const TrialRuns& runs,
                                                            const workloads::Places& places);

}  // namespace spica::sweep
