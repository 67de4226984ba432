// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace spica::energy {

/// An energy table, as the text of its file, with the energies of an energy reference table of Accelergy (version 0.3
/// or 0.4), whose components an architecture file gives classes to (accelergy_files.h). Energies are in pJ. What it
/// does not say is that of the table `base`; the low and high end of an entry are its energy. Throws ConfigError with
/// all that is wrong: components that are not in the architecture, classes and actions that are none of Spica's,
/// components of a class that differ, energies that depend on arguments.
std::string table_of_ert(const std::filesystem::path& ert, const std::filesystem::path& architecture,
                         const std::string& base);

}  // namespace spica::energy
