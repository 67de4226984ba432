// SPDX-License-Identifier: Apache-2.0
// The commands of the spica program. Each adds its options to the command line and returns what to do
// when it was chosen; the result is the exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace spica::cli {

/// One chosen command, to be run after parsing. Gets the whole command line for provenance.
using Action = std::function<int(const std::vector<std::string>& command_line)>;

void add_run_command(CLI::App& app, Action& chosen);
void add_debug_command(CLI::App& app, Action& chosen);
void add_gemm_command(CLI::App& app, Action& chosen);
void add_attention_command(CLI::App& app, Action& chosen);
void add_config_command(CLI::App& app, Action& chosen);
void add_annotate_command(CLI::App& app, Action& chosen);
void add_profile_command(CLI::App& app, Action& chosen);
void add_power_command(CLI::App& app, Action& chosen);
void add_bench_command(CLI::App& app, Action& chosen);
void add_experiment_command(CLI::App& app, Action& chosen);
void add_microbench_command(CLI::App& app, Action& chosen);
void add_report_command(CLI::App& app, Action& chosen);

}  // namespace spica::cli
