// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "models/power/device_energies.h"
#include "models/power/energy_table.h"

namespace spica::energy {

/// Receives a sentence for the user, without a full stop.
using Note = std::function<void(const std::string&)>;
/// A note on standard error: "spica: warning: ...".
void warn(const std::string& note);

/// Reads an energy table: a file, or the name of one in configs/power/. Like any configuration it may extend another
/// one. Throws ConfigError with all errors: entries for events that do not exist, events without an entry, illegal
/// values. Events of a plugin's blocks may have no entry: they then cost nothing, which `note` reports.
std::unique_ptr<power::EnergyTable> read_table(const std::string& table,
                                               const std::filesystem::path& configs_dir,
                                               const Note& note = {});

/// Reads the energies of a memory device: a file, or the name of one in configs/power/dram/. Throws like read_table().
std::unique_ptr<power::DeviceEnergies> read_device(const std::string& device,
                                                   const std::filesystem::path& configs_dir);

/// "for clusters of Virgo ..."; empty: the table does not state its use.
std::string chosen_for(const power::EnergyTable& table);

}  // namespace spica::energy
