// SPDX-License-Identifier: Apache-2.0
// Common parts of the commands below `spica sweep`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "platform/cli/command_line.h"
#include "platform/studies/sweep/record.h"

namespace spica::cli {

/// Options for the sweep and the folder of its results.
void add_results(Command& command, std::string& given, std::string& dir);

unsigned default_jobs();
/// "12 s", "3.4 min", "2.1 h".
std::string duration_text(double seconds);
/// "timeout,crash". Throws UserError.
std::vector<sweep::State> parse_states(const std::string& text);
/// "12 ok, 3 refused".
std::string counts_text(const std::map<sweep::State, std::uint64_t>& states);
/// Tells the names in `keep` that a run has nothing of, RunCounts::unknown.
void print_unknown(const std::vector<std::string>& names, const std::string& sweep);
/// --accept-model.
void add_accepted(Command& command, std::vector<std::string>& models);
/// 0: all points have a result or were refused; else 1.
int exit_code_of(const std::map<sweep::State, std::uint64_t>& states);

/// status, collect, clean, table, plot.
void add_sweep_results_commands(Command& command);
void add_sweep_pareto_command(Command& command);
/// eval, show, diff.
void add_sweep_points_commands(Command& command);
void add_sweep_values_command(Command& command);

}  // namespace spica::cli
