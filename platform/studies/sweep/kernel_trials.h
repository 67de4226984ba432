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

/// The settings for running trials.
struct TrialRuns {
  std::filesystem::path folder;  // of the trials' sweep; its records are reused
  unsigned jobs = 1;
  std::uint64_t rounds = 1;  // repetitions of the product per run; times are divided by it
};

/// Runs the trials of one tuning step as a sweep, which stays in the folder. Results are in the order of the trials,
/// see concurrent::Measure. Throws UserError.
std::vector<std::optional<concurrent::Measured>> run_trials(const std::vector<concurrent::Trial>& trials,
                                                            const std::string& step, const TrialRuns& runs,
                                                            const workloads::Places& places);

}  // namespace spica::sweep
