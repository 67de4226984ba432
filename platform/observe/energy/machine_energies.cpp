// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/machine_energies.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/soc/soc_params.h"

namespace spica::energy {

namespace {

power::EnergyModel model_of(const power::EnergyTable& table, const power::DeviceEnergies* device,
                            const power::AreaTable& areas, const power::PowerParams& params, double clock_mhz,
                            const power::Activity& activity) {
  try {
    return {table, power::operating_point(params, table, clock_mhz), activity, areas, device};
  } catch (const std::invalid_argument& error) {
    throw input::UserError(fmt::format("{}: {}", input::printable(params.table), error.what()));
  }
}

}  // namespace

MachineEnergies::MachineEnergies(std::unique_ptr<power::EnergyTable> table,
                                 std::unique_ptr<power::DeviceEnergies> device, const power::AreaTable& areas,
                                 const power::PowerParams& params, double clock_mhz,
                                 const power::Activity& activity)
    : table_(std::move(table)),
      device_(std::move(device)),
      areas_(areas),
      model_(model_of(*table_, device_.get(), areas, params, clock_mhz, activity)) {}

std::unique_ptr<MachineEnergies> read_energies(const soc::SocParams& params, const power::AreaTable& areas,
                                               const power::Activity& activity,
                                               const std::filesystem::path& configs_dir, const Note& note) {
  auto table = read_table(params.power.table, configs_dir, note);
  std::unique_ptr<power::DeviceEnergies> device;
  if (params.main_memory.has_device_energies())
    device = read_device(params.main_memory.dram.energy, configs_dir);
  return std::make_unique<MachineEnergies>(std::move(table), std::move(device), areas, params.power,
                                           params.core_mhz(), activity);
}

}  // namespace spica::energy
