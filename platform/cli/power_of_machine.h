// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace spica::cli {

/// Every entry of the energy table of a configuration with what its law makes of it in the machine: value, law, sizes,
/// source, and whether it is extrapolated. Returns the exit code.
int print_power_of_machine(const std::string& config, const std::vector<std::string>& overrides, bool json);

}  // namespace spica::cli
