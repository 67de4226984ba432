// SPDX-License-Identifier: Apache-2.0
#include "platform/run/run_facts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/machine/session/grid.h"
#include "platform/machine/soc/blocks.h"
#include "platform/machine/soc/measured_machine.h"
#include "platform/machine/soc/soc_config.h"

namespace spica::job {

using Json = json::Value;

namespace {

constexpr const char* kBase = "virgo";

/// Whole numbers without a point.
Json figure(double number) {
  return number == std::floor(number) ? Json(static_cast<std::uint64_t>(number)) : Json(number);
}

/// Units that multiply and add: each block, or all of those that are one unit together.
Json multiplying_units(soc::MeasuredMachine& soc) {
  struct Unit {
    std::string name;
    std::uint64_t peak = 0;
    base::Arithmetic::Work work = {};

    /// The most per cycle, of the kinds that were counted.
    double macs_per_cycle() const {
      const auto most = static_cast<double>(peak);
      return work.macs == 0 ? most : most * static_cast<double>(work.macs) / work.at_peak;
    }
  };
  std::vector<Unit> alone, together;
  const base::StatWindow window = soc.region().window();
  for (base::Component* block : soc.components()) {
    const base::Arithmetic& arithmetic = block->type().arithmetic;
    if (arithmetic.counter.empty()) continue;
    const auto known = std::find_if(together.begin(), together.end(),
                                    [&](const Unit& unit) { return unit.name == arithmetic.together; });
    Unit& unit = arithmetic.together.empty() ? alone.emplace_back(Unit{soc.short_name(*block)})
                 : known != together.end()   ? *known
                                             : together.emplace_back(Unit{std::string(arithmetic.together)});
    unit.peak += static_cast<std::uint64_t>(soc::property(*block, arithmetic.peak));
    arithmetic.add_to(unit.work, [&](const base::CounterNames& names) {
      return soc::counted(window, block->stats(), names);
    });
  }
  Json units = Json::array();
  for (const std::vector<Unit>* list : {&alone, &together})
    for (const Unit& unit : *list)
      units.push_back(
          {{"name", unit.name}, {"macs_per_cycle", figure(unit.macs_per_cycle())}, {"macs", unit.work.macs}});
  return units;
}

/// An amount per cycle of a clock of `mhz`, per cycle of the cores.
template <class Number>
Json per_core_cycle(Number amount, double mhz, const soc::SocParams& params) {
  return mhz == params.core_mhz() ? Json(amount)
                                  : Json(static_cast<double>(amount) * mhz / params.core_mhz());
}

}  // namespace

Json machine_json(soc::MeasuredMachine& soc) {
  const soc::SocParams& params = soc.machine().params();
  return {{"clock_mhz", params.core_mhz()},
          {"units", multiplying_units(soc)},
          {"l2_bytes_per_cycle", per_core_cycle(params.l2_bytes_per_cycle(), params.bus_mhz(), params)},
          {"dram_bytes_per_cycle",
           per_core_cycle(params.main_memory.peak_bytes_per_cycle(1e6 / params.memory_mhz()),
                          params.memory_mhz(), params)},
          {"bank_words_per_cycle", params.cluster.shared_memory.words}};
}

std::optional<Waves> waves_of(const session::GridRequest& grid, const loader::Program& program,
                              const soc::SocParams& params) {
  if (grid.empty()) return std::nullopt;
  const auto launch = session::grid_launch(grid, program, params);
  if (!launch) return std::nullopt;
  const Waves waves{launch->groups(), params.clusters * params.occupancy(*launch)};
  return waves.at_once == 0 ? std::nullopt : std::optional(waves);
}

Json network_json(const soc::SocParams& p) {
  if (!p.network.is_crossbar()) return nullptr;
  return {{"clusters", p.clusters},
          {"ports", p.cluster_ports()},
          {"slices", p.l2.slices},
          {"hash", protocol::kSliceHashes.name_of(p.network.hash)},
          {"channels", p.main_memory.channels},
          {"warm", p.l2.warm != decltype(p.l2.warm)()}};
}

std::optional<double> busiest_units(soc::MeasuredMachine& soc, std::uint64_t cycles) {
  std::uint64_t macs = 0;
  double most = 0;
  for (const Json& unit : multiplying_units(soc)) {
    const auto done = unit.at("macs").get<std::uint64_t>();
    if (done <= macs) continue;
    macs = done;
    most = unit.at("macs_per_cycle").get<double>() * static_cast<double>(cycles);
  }
  if (most == 0) return std::nullopt;
  return static_cast<double>(macs) / most;
}

Json configuration_json(const soc::SocParams& params, const config::Source& source,
                        const std::filesystem::path& configs_dir) {
  const config::Source base_source = config::load(kBase, {}, configs_dir);
  const auto base_params = config::read<soc::SocParams>(base_source);
  const std::vector<config::EffectiveValue> base = config::effective(base_params, base_source);
  const std::vector<config::EffectiveValue> here = config::effective(params, source);
  const auto by_key = [](const std::vector<config::EffectiveValue>& values) {
    std::map<std::string, const config::EffectiveValue*> map;
    for (const config::EffectiveValue& value : values) map[value.key] = &value;
    return map;
  };
  const auto in_base = by_key(base), in_here = by_key(here);

  Json differences = Json::array();
  for (const config::EffectiveValue& value : here) {
    const auto other = in_base.find(value.key);
    if (other != in_base.end() && other->second->text == value.text) continue;
    differences.push_back({{"key", value.key},
                           {"unit", value.unit},
                           {"base", other == in_base.end() ? Json() : Json(other->second->text)},
                           {"value", value.text},
                           {"place", value.place}});
  }
  for (const config::EffectiveValue& value : base)
    if (in_here.count(value.key) == 0)
      differences.push_back({{"key", value.key},
                             {"unit", value.unit},
                             {"base", value.text},
                             {"value", nullptr},
                             {"place", value.place}});
  return {{"name", source.name}, {"base", kBase}, {"differences", std::move(differences)}};
}

}  // namespace spica::job
