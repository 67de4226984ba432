// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/cli/command_line.h"
#include "platform/run/job_options.h"

namespace spica::cli {

/// Headings of the help of commands that run a program.
inline constexpr const char *kMachineOptions = "Machine", *kDebugOptions = "Debugging",
                            *kResultOptions = "Results";

/// Options that every command that runs a program has.
void add_job_options(Command command, job::JobOptions& options);
/// What is put into memory before a run and taken out after it, and checkpoints.
void add_memory_options(Command command, job::JobOptions& options);
/// How an annotated program is printed.
void add_annotation_options(Command command, job::JobOptions& options);
/// How a profile is printed.
void add_profile_options(Command command, job::JobOptions& options);

}  // namespace spica::cli
