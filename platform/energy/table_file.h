// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "models/power/energy_table.h"

namespace spica::energy {

/// Reads an energy table: a file, or the name of one in configs/power/. Like any configuration it may extend
/// another one. Throws ConfigError with everything that is wrong: entries for events that do not exist,
/// events without an entry, illegal values.
std::unique_ptr<power::EnergyTable> read_table(const std::string& table,
                                               const std::filesystem::path& configs_dir);

}  // namespace spica::energy
