// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/experiment/energy_figures.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "platform/base/json/parse.h"
#include "platform/studies/experiment/experiment.h"

namespace spica::experiment {

namespace {

using json::Value;

Value read_json(const std::filesystem::path& file) {
  return json::read_file(file.string()).value_or(nullptr);
}

double nominal(const Value& interval) { return interval.at("nominal").get<double>(); }

/// Energy of all nodes of this name.
double energy_of(const Value& node, const char* name) {
  if (node.at("name") == name) return nominal(node.at("active_uj"));
  double sum = 0;
  for (const Value& child : node.value("children", Value::array())) sum += energy_of(child, name);
  return sum;
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
  figures.total_power_mw = stats.at("total_power_mw").get<double>();
  figures.total_energy_uj = stats.at("total_energy_uj").get<double>();
  figures.edp_uj_us = stats.at("edp_uj_us").get<double>();
  if (const Value& each = stats.at("pj_per_mac"); each.is_number()) figures.pj_per_mac = each.get<double>();
  const Value& window = energy.at("window");
  figures.dram_uj = nominal(window.at("dram_uj"));
  const Value& active = window.at("active_uj");
  figures.active_uj = {active.at("low").get<double>(), active.at("nominal").get<double>(),
                       active.at("high").get<double>()};
  for (const auto& [unit, value] : window.at("units_uj").items()) {
    double& part = unit == "cores"                                   ? figures.core_uj
                   : unit == "tensor_cores" || unit == "matrix_unit" ? figures.matrix_unit_uj
                   : unit == "shared_memory"                         ? figures.shared_memory_uj
                                                                     : figures.other_uj;
    part += value.get<double>();
  }
  figures.core_issue_uj = energy_of(energy.at("blocks"), "issue");
  figures.notes = energy.at("notes").get<std::vector<std::string>>();
  return figures;
}

std::vector<VerifiedPair> verified_pairs(const std::vector<CellResult>& results,
                                         const std::vector<sweep::DesignPair>& comparisons) {
  const auto good = [](const CellResult& one) { return one.energy && one.verified(); };
  std::vector<VerifiedPair> pairs;
  for (const auto& [design, reference] : comparisons)
    for (const CellResult& result : results) {
      if (result.cell.design != design || !good(result)) continue;
      const auto other =
          std::find_if(results.begin(), results.end(), [&, name = reference](const CellResult& one) {
            return one.cell.design == name && one.cell.size == result.cell.size &&
                   one.cell.columns == result.cell.columns && good(one);
          });
      if (other != results.end()) pairs.push_back({design, reference, &result, &*other});
    }
  return pairs;
}

std::vector<EnergyRatio> energy_ratios(const std::vector<CellResult>& results,
                                       const std::vector<sweep::DesignPair>& comparisons) {
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
      {"shared_memory_energy", [](const CellResult& r) { return r.energy->shared_memory_uj; }},
      {"total_power", [](const CellResult& r) { return r.energy->total_power_mw; }},
      {"total_energy", [](const CellResult& r) { return r.energy->total_energy_uj; }},
      {"pj_per_mac", [](const CellResult& r) { return r.energy->pj_per_mac.value_or(0); }},
      {"energy_delay_product", [](const CellResult& r) { return r.energy->edp_uj_us; }}};
  std::vector<EnergyRatio> ratios;
  for (const auto& [design, reference, result, other] : verified_pairs(results, comparisons)) {
    for (const auto& [name, value] : quantities)
      if (value(*other) > 0)
        ratios.push_back(
            {result->cell.size, design, reference, name, value(*result) / value(*other), {}, {}});
    for (EnergyRatio& one : ratios) {
      const bool power_too = one.quantity == "active_power";
      if (one.size != result->cell.size || one.design != design || one.reference != reference ||
          (!power_too && one.quantity != "active_energy"))
        continue;
      const power::Interval &a = result->energy->active_uj, &b = other->energy->active_uj;
      const double time =
          power_too ? static_cast<double>(other->cycles) / static_cast<double>(result->cycles) : 1;
      if (b.low > 0) one.all_low = a.low / b.low * time;
      if (b.high > 0) one.all_high = a.high / b.high * time;
    }
  }
  return ratios;
}

}  // namespace spica::experiment
