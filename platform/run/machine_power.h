// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace spica::job {

/// Prints all entries of a configuration's energy table as applied to its machine: value, law, sizes, source, and
/// whether it is extrapolated. `configs`: folder in which configurations and tables are found by name. Returns the exit
/// code.
int print_power_of_machine(const std::string& config, const std::vector<std::string>& overrides,
                           const std::filesystem::path& configs, bool json);

}  // namespace spica::job
