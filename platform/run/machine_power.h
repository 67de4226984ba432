// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace spica::job {

/// Every entry of the energy table of a configuration with what its law makes of it in the machine: value, law, sizes,
/// source, and whether it is extrapolated. `configs`: where configurations and tables are looked up by name. Returns
/// the exit code.
int print_power_of_machine(const std::string& config, const std::vector<std::string>& overrides,
                           const std::filesystem::path& configs, bool json);

}  // namespace spica::job
