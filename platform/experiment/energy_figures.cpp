// SPDX-License-Identifier: Apache-2.0
#include "platform/experiment/energy_figures.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "platform/experiment/experiment.h"
#include "platform/json/parse.h"

namespace spica::experiment {

namespace {

using json::Value;

Value read_json(const std::filesystem::path& file) {
  return json::read_file(file.string()).value_or(nullptr);
}

/// Adds up the parts of a cluster's or machine's node.
void add_parts(const Value& node, EnergyFigures& figures) {
  for (const Value& child : node.value("children", Value::array())) {
    const std::string name = child.at("name").get<std::string>();
    const double energy = child.at("active_uj").at("nominal").get<double>();
    const auto is = [&](const char* start) { return name.rfind(start, 0) == 0; };
    if (is("cluster_")) {
      add_parts(child, figures);
    } else if (is("core_")) {
      figures.core_uj += energy;
      for (const Value& part : child.value("children", Value::array())) {
        const double inner = part.at("active_uj").at("nominal").get<double>();
        if (part.at("name") == "issue") figures.core_issue_uj += inner;
        if (part.at("name") != "tensor_core") continue;
        figures.core_uj -= inner;
        figures.matrix_unit_uj += inner;
      }
    } else if (is("matrix_unit_")) {
      figures.matrix_unit_uj += energy;
    } else if (is("shared_memory")) {
      figures.shared_memory_uj += energy;
    } else {
      figures.other_uj += energy;
    }
  }
}

}  // namespace

std::optional<EnergyFigures> read_energy(const std::filesystem::path& folder) {
  const Value stats = read_json(folder / "stats.json"), energy = read_json(folder / "energy.json");
  if (!stats.is_object() || !energy.is_object() || !stats.contains("active_energy_uj")) return std::nullopt;
  EnergyFigures figures;
  figures.warp_instructions = stats.at("warp_instructions").get<std::uint64_t>();
  figures.register_file_accesses = stats.at("register_file_accesses").get<std::uint64_t>();
  figures.active_power_mw = stats.at("active_power_mw").get<double>();
  figures.active_energy_uj = stats.at("active_energy_uj").get<double>();
  const Value& window = energy.at("window");
  figures.dram_uj = window.at("dram_uj").at("nominal").get<double>();
  const Value& active = window.at("active_uj");
  figures.active_uj = {active.at("low").get<double>(), active.at("nominal").get<double>(),
                       active.at("high").get<double>()};
  for (const Value& child : energy.at("blocks").at("children"))
    if (child.at("name") == "soc") add_parts(child, figures);
  return figures;
}

std::vector<EnergyRatio> energy_ratios(const std::vector<CellResult>& results,
                                       const std::vector<Comparison>& comparisons) {
  using Quantity = std::pair<const char*, std::function<double(const CellResult&)>>;
  const auto power = [](double energy, const CellResult& r) {
    return energy * r.energy->active_power_mw / r.energy->active_energy_uj;
  };
  const std::vector<Quantity> quantities{
      {"cycles", [](const CellResult& r) { return static_cast<double>(r.cycles); }},
      {"warp_instructions",
       [](const CellResult& r) { return static_cast<double>(r.energy->warp_instructions); }},
      {"register_file_accesses",
       [](const CellResult& r) { return static_cast<double>(r.energy->register_file_accesses); }},
      {"active_power", [](const CellResult& r) { return r.energy->active_power_mw; }},
      {"active_energy", [](const CellResult& r) { return r.energy->active_energy_uj; }},
      {"core_power", [&](const CellResult& r) { return power(r.energy->core_uj, r); }},
      {"core_energy", [](const CellResult& r) { return r.energy->core_uj; }},
      {"matrix_unit_power", [&](const CellResult& r) { return power(r.energy->matrix_unit_uj, r); }},
      {"matrix_unit_energy", [](const CellResult& r) { return r.energy->matrix_unit_uj; }},
      {"shared_memory_energy", [](const CellResult& r) { return r.energy->shared_memory_uj; }}};
  std::vector<EnergyRatio> ratios;
  for (const auto& [design, reference] : comparisons)
    for (const CellResult& result : results) {
      if (result.cell.design != design || !result.energy || !result.verified) continue;
      const auto other =
          std::find_if(results.begin(), results.end(), [&, name = reference](const CellResult& r) {
            return r.cell.design == name && r.cell.size == result.cell.size && r.energy && r.verified;
          });
      if (other == results.end()) continue;
      for (const auto& [name, value] : quantities)
        if (value(*other) > 0)
          ratios.push_back(
              {result.cell.size, design, reference, name, value(result) / value(*other), {}, {}});
      for (EnergyRatio& one : ratios) {
        const bool power_too = one.quantity == "active_power";
        if (one.size != result.cell.size || one.design != design || one.reference != reference ||
            (!power_too && one.quantity != "active_energy"))
          continue;
        const power::Interval &a = result.energy->active_uj, &b = other->energy->active_uj;
        const double time =
            power_too ? static_cast<double>(other->cycles) / static_cast<double>(result.cycles) : 1;
        if (b.low > 0) one.all_low = a.low / b.low * time;
        if (b.high > 0) one.all_high = a.high / b.high * time;
      }
    }
  return ratios;
}

}  // namespace spica::experiment
