// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "models/power/energy_model.h"
#include "platform/observe/energy/table_file.h"

namespace spica::soc {
struct SocParams;
}

namespace spica::energy {

/// The tables of a machine, and their energies at the sizes of its blocks.
class MachineEnergies {
 public:
  /// `areas` and `activity` must outlive it; `device`: nullptr for the table's own memory energies. Throws UserError if
  /// the table does not fit the machine or its operating point.
  MachineEnergies(std::unique_ptr<power::EnergyTable> table, std::unique_ptr<power::DeviceEnergies> device,
                  const power::AreaTable& areas, const power::PowerParams& params, double clock_mhz,
                  const power::Activity& activity);

  const power::EnergyTable& table() const { return *table_; }
  const power::AreaTable& areas() const { return areas_; }
  const power::DeviceEnergies* device() const { return device_.get(); }
  const power::EnergyModel& model() const { return model_; }
  power::EnergyModel& model() { return model_; }

 private:
  std::unique_ptr<power::EnergyTable> table_;
  std::unique_ptr<power::DeviceEnergies> device_;
  const power::AreaTable& areas_;
  power::EnergyModel model_;
};

/// Reads the tables named by the machine's parameters. Throws like read_table() and the constructor.
std::unique_ptr<MachineEnergies> read_energies(const soc::SocParams& params, const power::AreaTable& areas,
                                               const power::Activity& activity,
                                               const std::filesystem::path& configs_dir, const Note& note);

}  // namespace spica::energy
