// SPDX-License-Identifier: Apache-2.0
// The possible settings of a point: options of its workload, and parameters of the machine, from their declarations.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/studies/sweep/sweep_file.h"

namespace spica::sweep {

/// An option as a point sets it: of a list one value.
config::Field single(const config::Field& option);
/// The options that a point can set, in the order of the command line: those of the workload, then those for
/// measurements.
const std::vector<config::Field>& options_of(const workloads::Kind& job);
/// By its name, or an earlier one. nullptr: there is none.
const config::Field* find_option(const workloads::Kind& job, const std::string& name);
/// True if its points name designs.
bool has_designs(const workloads::Kind& job);

/// The setting for `key: value` in a file: an option of the job, a parameter, or a group of parameters given by the
/// name of a block file; for `mode`, `divergence` and `power` the parameter of that option. Empty: no such option or
/// parameter.
std::optional<Setting> setting_of(const workloads::Kind& job, const std::string& key,
                                  const std::string& value);

/// The reason why an option cannot have this value, with the allowed ones; "": it can. Parameters are checked by the
/// machine.
std::string value_problem(const workloads::Kind& job, const Setting& setting, std::string& allowed);

/// The value of a program's `args` with the values of axes of arguments.
std::string arguments_of(const workloads::Kind& job, const std::vector<Setting>& settings);

/// "no option of spica gemm and no parameter, did you mean ...?"
std::string unknown_option(const workloads::Kind& job, const std::string& key);
std::string allowed_options(const workloads::Kind& job);

}  // namespace spica::sweep
