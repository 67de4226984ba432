// SPDX-License-Identifier: Apache-2.0
// What a point may set: options of its workload, and parameters of the machine. Both follow from their declarations.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/studies/sweep/sweep_file.h"

namespace spica::sweep {

/// The options that a point may set, in the order of the command line: those of the workload, then what is measured.
const std::vector<config::Field>& options_of(const workloads::Kind& job);
/// By its name, or an earlier one. nullptr: there is none.
const config::Field* find_option(const workloads::Kind& job, const std::string& name);
/// Its points name designs.
bool has_designs(const workloads::Kind& job);

/// What `key: value` of a file sets: an option of the job; a parameter, or with the name of a block file a group of
/// them; of `mode`, `divergence` and `power` the parameter of that option. Nothing: there is no such option or
/// parameter.
std::optional<Setting> setting_of(const workloads::Kind& job, const std::string& key,
                                  const std::string& value);

/// Why an option cannot have this value, "", when it can; and what is allowed. Of parameters the machine says it.
std::string value_problem(const workloads::Kind& job, const Setting& setting, std::string& allowed);

/// What `args` of a program is with what the axes add to it.
std::string arguments_of(const std::vector<Setting>& settings);

/// "no option of spica gemm and no parameter, did you mean ...?"
std::string unknown_option(const workloads::Kind& job, const std::string& key);
std::string allowed_options(const workloads::Kind& job);

}  // namespace spica::sweep
