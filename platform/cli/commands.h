// SPDX-License-Identifier: Apache-2.0
// The commands of the spica program; each adds itself and its options to the command line.
#pragma once

#include "platform/cli/command_line.h"

namespace spica::cli {

/// Adds one command for each kind of workload.
void add_workload_commands(CommandLine& line);
void add_diff_command(CommandLine& line);
void add_explain_command(CommandLine& line);
void add_trace_diff_command(CommandLine& line);
void add_sweep_command(CommandLine& line);
void add_cc_command(CommandLine& line);
void add_job_command(CommandLine& line);
void add_tune_command(CommandLine& line);
void add_train_command(CommandLine& line);
void add_debug_command(CommandLine& line);
void add_config_command(CommandLine& line);
void add_annotate_command(CommandLine& line);
void add_profile_command(CommandLine& line);
void add_area_command(CommandLine& line);
void add_power_command(CommandLine& line);
void add_bench_command(CommandLine& line);
void add_experiment_command(CommandLine& line);
void add_serve_command(CommandLine& line);
void add_new_command(CommandLine& line);
void add_microbench_command(CommandLine& line);
void add_numerics_command(CommandLine& line);
void add_report_command(CommandLine& line);
/// Of the OpenCL driver, in builds that have it.
void add_opencl_compiler_command(CommandLine& line);

}  // namespace spica::cli
