// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "platform/workloads/summary.h"

namespace spica::job {
class Job;
struct JobOutcome;
}  // namespace spica::job

namespace spica::workloads {

/// The program with cycles and energy next to its lines, when the job was asked to annotate; sources are looked up in
/// `root`.
void print_annotation(const job::Job& job, const std::filesystem::path& root);

/// Prints what a run did in about twenty lines: result, cycles, where the time went, speed.
/// `gemm` with an empty title: any other program.
void print_summary(job::Job& job, const job::JobOutcome& outcome, const Summary& gemm,
                   const std::filesystem::path& root);

}  // namespace spica::workloads
