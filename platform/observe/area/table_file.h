// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "models/power/area_table.h"

namespace spica::area {

/// Reads an area table: a file, or the name of one in configs/area/. Like any configuration it may extend another one.
/// Throws ConfigError with all errors: structures without an entry, entries without a structure, illegal values.
power::AreaTable read_table(const std::string& table, const std::filesystem::path& configs_dir);

}  // namespace spica::area
