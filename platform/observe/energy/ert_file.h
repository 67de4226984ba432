// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace spica::energy {

/// Converts an energy reference table of Accelergy (version 0.3 or 0.4, energies in pJ) to the text of an energy table.
/// The classes of its components are in an architecture file (accelergy_files.h). Entries that it lacks are those of
/// the table `base`; low and high end of a converted entry are equal to its energy. Throws ConfigError with all errors:
/// components that are not in the architecture, unknown classes and actions, components of a class that differ,
/// energies that depend on arguments.
std::string table_of_ert(const std::filesystem::path& ert, const std::filesystem::path& architecture,
                         const std::string& base);

}  // namespace spica::energy
