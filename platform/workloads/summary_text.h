// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "platform/workloads/summary.h"

namespace spica::job {
class Job;
struct JobOutcome;
}  // namespace spica::job

namespace spica::workloads {

/// Prints the program with cycles and energy for each line, if the job has this option; sources are searched in `root`.
void print_annotation(const job::Job& job, const std::filesystem::path& root);

/// Prints a summary of a run in about twenty lines: result, cycles, breakdown of time, speed. `gemm` with an empty
/// title: any other program.
void print_summary(job::Job& job, const job::JobOutcome& outcome, const Summary& gemm,
                   const std::filesystem::path& root);

}  // namespace spica::workloads
