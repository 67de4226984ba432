// SPDX-License-Identifier: Apache-2.0
#include "platform/energy/totals.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "platform/energy/units.h"

namespace spica::energy {

Totals totals(const EnergyReport& report, std::optional<std::uint64_t> multiply_adds) {
  const SpanEnergy& window = report.window();
  Totals result;
  result.energy_uj = window.active_uj + window.idle_uj + window.dram_uj + window.dram_idle_uj;
  result.power_mw = window.active_mw + window.idle_mw + window.dram_mw + window.dram_idle_mw;
  result.edp_uj_us = result.energy_uj * (window.seconds * 1e6);
  result.multiply_adds = multiply_adds;
  if (multiply_adds && *multiply_adds != 0)
    result.pj_per_mac = result.energy_uj * (1 / (kMicrojoule * static_cast<double>(*multiply_adds)));
  const auto& channels = report.activity().channels();
  result.has_dram = std::any_of(channels.begin(), channels.end(), [](const power::Activity::Channel& one) {
    return power::off_chip(power::event_kinds()[one.kind]);
  });
  return result;
}

namespace {

json::Value interval(const power::Interval& value) {
  return {{"low", value.low}, {"nominal", value.nominal}, {"high", value.high}};
}

}  // namespace

json::Value totals_json(const Totals& totals) {
  json::Value result;
  result["total_power_mw"] = interval(totals.power_mw);
  result["total_energy_uj"] = interval(totals.energy_uj);
  result["edp_uj_us"] = interval(totals.edp_uj_us);
  result["pj_per_mac"] = totals.pj_per_mac ? interval(*totals.pj_per_mac) : json::Value();
  result["multiply_adds"] = totals.multiply_adds ? json::Value(*totals.multiply_adds) : json::Value();
  result["has_dram"] = totals.has_dram;
  return result;
}

json::Value nominal_json(const Totals& totals) {
  json::Value result;
  result["total_power_mw"] = totals.power_mw.nominal;
  result["total_energy_uj"] = totals.energy_uj.nominal;
  result["pj_per_mac"] = totals.pj_per_mac ? json::Value(totals.pj_per_mac->nominal) : json::Value();
  result["edp_uj_us"] = totals.edp_uj_us.nominal;
  return result;
}

}  // namespace spica::energy
