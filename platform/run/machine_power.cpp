// SPDX-License-Identifier: Apache-2.0
#include "platform/run/machine_power.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/power/block_sizes.h"
#include "platform/base/config/config.h"
#include "platform/base/input/printable.h"
#include "platform/base/json/value.h"
#include "platform/machine/soc/build_machine.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/observe/area/table_file.h"
#include "platform/observe/energy/blocks.h"
#include "platform/observe/energy/entry_use.h"
#include "platform/observe/energy/machine_energies.h"
#include "platform/observe/report/interval_json.h"
#include "platform/observe/report/text_table.h"

namespace spica::job {

namespace {

using Align = report::TextTable::Align;

/// A machine without a program, and what the tables of its configuration say of it.
struct Machine {
  Machine(const soc::SocParams& params, const std::filesystem::path& configs)
      : areas(area::read_table(params.power.area_table, configs)),
        soc(soc::build_machine("soc", params, soc::Mode::kCycle)),
        activity(energy::blocks_of(*soc.measured)),
        energies(energy::read_energies(params, areas, activity, configs, energy::warn)),
        sizes(areas, activity.blocks()) {}

  const power::EnergyTable& table() const { return energies->table(); }
  const power::EnergyModel& model() const { return energies->model(); }
  const power::Block& block(const std::string& name) const {
    return *std::find_if(activity.blocks().begin(), activity.blocks().end(),
                         [&name](const power::Block& one) { return one.name == name; });
  }
  /// The sizes that the law of an entry reads, as `at` of the entry has them.
  std::string sizes_text(const energy::EntryUse& use) const {
    const power::Law* const law = table().law(use.kind);
    if (law == nullptr) return "";
    const power::Coefficient& entry = table().event(use.kind);
    const power::Sizes now = sizes.of(block(use.block), entry.memory, entry.crossbar);
    std::string text;
    for (const auto& item : power::kSizes.items)
      if (law->depends_on(item.value))
        text += fmt::format("{}{} {:.7g}", text.empty() ? "" : ", ", item.name, now[item.value]);
    return text;
  }
  std::string law_text(const energy::EntryUse& use) const {
    const power::Law* const law = table().law(use.kind);
    return law != nullptr ? power::law_text(*law) : "the same for all sizes";
  }

  bool is_of_device(const energy::EntryUse& use) const {
    return energies->device() != nullptr && power::off_chip(power::event_kinds()[use.kind]);
  }
  const std::string& source(const energy::EntryUse& use) const {
    return is_of_device(use) ? energies->device()->source : table().event(use.kind).source;
  }
  bool is_doubtful(const energy::EntryUse& use) const {
    return is_of_device(use) ? energies->device()->doubtful : table().event(use.kind).doubtful;
  }

  power::AreaTable areas;
  soc::BuiltMachine soc;
  power::Activity activity;
  std::unique_ptr<energy::MachineEnergies> energies;
  power::BlockSizes sizes;
};

/// Calls `row(kind, block)` for each block that idles.
template <class Row>
void for_each_idle(const Machine& machine, const Row& row) {
  for (std::size_t kind = 0; kind < power::idle_kinds().size(); ++kind)
    for (const power::Block& block : machine.activity.blocks())
      if (block.type == power::idle_kinds()[kind].type) row(kind, block);
}

json::Value to_json(const Machine& machine) {
  json::Value events = json::Value::array(), idle = json::Value::array();
  for (const energy::EntryUse& use : energy::entry_uses(machine.activity, machine.model())) {
    const power::Coefficient& entry = machine.table().event(use.kind);
    events.push_back({{"event", power::event_kinds()[use.kind].name},
                      {"block", use.block},
                      {"blocks", use.blocks},
                      {"pj", report::interval_json(use.each)},
                      {"factor", report::interval_json(use.scaling.factor)},
                      {"law", machine.law_text(use)},
                      {"at", entry.at},
                      {"here", machine.sizes_text(use)},
                      {"extrapolated", energy::extrapolation_text(use.scaling)},
                      {"doubtful", machine.is_doubtful(use)},
                      {"source", machine.source(use)}});
  }
  for_each_idle(machine, [&](std::size_t kind, const power::Block& block) {
    const power::IdlePower& entry = machine.table().idle(kind);
    idle.push_back({{"block", block.name},
                    {"type", block.type->name},
                    {"clock_mw", report::interval_json(machine.model().idle_clock(kind, block))},
                    {"leakage_mw", report::interval_json(machine.model().idle_leakage(kind, block))},
                    {"clocked_bits", clocked_bits(machine.table().idle_law, block.area)},
                    {"leaking_um2", leaking_area(machine.table().idle_law, machine.areas, block.area)},
                    {"at", {{"bits", entry.at.bits}, {"area", entry.at.area}}},
                    {"source", entry.source}});
  });
  const power::OperatingPoint& point = machine.model().point();
  return {{"schema", "spica-power-1"},
          {"table",
           {{"technology_nm", machine.table().technology_nm},
            {"voltage", machine.table().voltage},
            {"machine", machine.table().machine}}},
          {"operating_point",
           {{"technology_nm", point.technology_nm},
            {"voltage", point.voltage},
            {"clock_mhz", point.clock_mhz},
            {"highest_mhz", highest_mhz(machine.table(), point.voltage)}}},
          {"events", std::move(events)},
          {"idle", std::move(idle)},
          {"idle_mw", report::interval_json(machine.model().idle())}};
}

void print_events(const Machine& machine) {
  report::TextTable text({{"event"},
                          {"blocks", Align::kRight},
                          {"low pJ", Align::kRight},
                          {"nominal", Align::kRight},
                          {"high", Align::kRight},
                          {"law"},
                          {"holds at"},
                          {"here"},
                          {"extrapolated"},
                          {"doubtful"},
                          {"source"}});
  for (const energy::EntryUse& use : energy::entry_uses(machine.activity, machine.model())) {
    const power::Coefficient& entry = machine.table().event(use.kind);
    text.add({std::string(power::event_kinds()[use.kind].name), std::to_string(use.blocks),
              fmt::format("{:.4g}", use.each.low), fmt::format("{:.4g}", use.each.nominal),
              fmt::format("{:.4g}", use.each.high), machine.law_text(use), input::printable(entry.at),
              machine.sizes_text(use), energy::extrapolation_text(use.scaling),
              machine.is_doubtful(use) ? "yes" : "", input::printable(machine.source(use))});
  }
  fmt::print("{}", text.text());
}

void print_idle(const Machine& machine) {
  report::TextTable text({{"idle block"},
                          {"clock mW", Align::kRight},
                          {"clocked bits", Align::kRight},
                          {"holds at", Align::kRight},
                          {"leakage mW", Align::kRight},
                          {"leaking um2", Align::kRight},
                          {"holds at", Align::kRight},
                          {"source"}});
  for_each_idle(machine, [&](std::size_t kind, const power::Block& block) {
    const power::IdlePower& entry = machine.table().idle(kind);
    text.add({block.name, fmt::format("{:.4g}", machine.model().idle_clock(kind, block).nominal),
              fmt::format("{:.6g}", clocked_bits(machine.table().idle_law, block.area)),
              fmt::format("{:.6g}", entry.at.bits),
              fmt::format("{:.4g}", machine.model().idle_leakage(kind, block).nominal),
              fmt::format("{:.6g}", leaking_area(machine.table().idle_law, machine.areas, block.area)),
              fmt::format("{:.6g}", entry.at.area), input::printable(entry.source)});
  });
  fmt::print("\n{}", text.text());
}

}  // namespace

int print_power_of_machine(const std::string& config, const std::vector<std::string>& overrides,
                           const std::filesystem::path& configs, bool json) {
  const config::Source source = config::load(config, overrides, configs);
  const auto params = config::read<soc::SocParams>(source);
  const Machine machine(params, configs);
  if (json) {
    fmt::print("{}\n", to_json(machine).dump(2));
    return 0;
  }
  const power::OperatingPoint& point = machine.model().point();
  fmt::print("{}: energies of {} ({:g} nm, {:g} V) at {:g} nm, {:g} V, {:g} MHz (highest {:.0f})\n{}\n",
             input::printable(source.name), input::printable(params.power.table),
             machine.table().technology_nm, machine.table().voltage, point.technology_nm, point.voltage,
             point.clock_mhz, highest_mhz(machine.table(), point.voltage),
             energy::chosen_for(machine.table()));
  print_events(machine);
  print_idle(machine);
  return 0;
}

}  // namespace spica::job
