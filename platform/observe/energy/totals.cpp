// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/totals.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "platform/observe/energy/units.h"
#include "platform/observe/report/interval_json.h"

namespace spica::energy {

namespace {
constexpr double kMicrojoulesPerMillijoule = 1e3;
}

Totals totals(const EnergyReport& report, std::optional<std::uint64_t> multiply_adds) {
  const SpanEnergy& window = report.window();
  Totals result;
  result.energy_uj = window.active_uj + window.idle_uj + window.dram_uj + window.dram_idle_uj;
  result.power_mw = window.active_mw + window.idle_mw + window.dram_mw + window.dram_idle_mw;
  result.active_uj = window.active_uj;
  result.active_mw = window.active_mw;
  result.dram_uj = window.dram_uj + window.dram_idle_uj;
  for (std::size_t kind = 0; kind < power::idle_kinds().size(); ++kind) {
    const base::BlockType* const type = power::idle_kinds()[kind].type;
    if (report.leaves_out(*type)) continue;
    for (const power::Block& block : report.activity().blocks()) {
      if (block.type != type || type->off_chip) continue;
      result.leakage_uj +=
          report.model().idle_leakage(kind, block) * (window.seconds * kMicrojoulesPerMillijoule);
      result.clock_uj +=
          report.model().idle_clock(kind, block) * (window.seconds * kMicrojoulesPerMillijoule);
    }
  }
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

/// All that is an interval, in the order of results; nothing: not known.
std::vector<std::pair<const char*, std::optional<power::Interval>>> intervals(const Totals& totals) {
  return {{"total_power_mw", totals.power_mw},    {"total_energy_uj", totals.energy_uj},
          {"active_energy_uj", totals.active_uj}, {"leakage_energy_uj", totals.leakage_uj},
          {"clock_energy_uj", totals.clock_uj},   {"dram_energy_uj", totals.dram_uj},
          {"active_power_mw", totals.active_mw},  {"pj_per_mac", totals.pj_per_mac},
          {"edp_uj_us", totals.edp_uj_us}};
}

}  // namespace

json::Value totals_json(const Totals& totals) {
  json::Value result;
  for (const auto& [name, value] : intervals(totals))
    result[name] = value ? report::interval_json(*value) : json::Value();
  result["multiply_adds"] = totals.multiply_adds ? json::Value(*totals.multiply_adds) : json::Value();
  result["has_dram"] = totals.has_dram;
  return result;
}

json::Value plain_json(const Totals& totals) {
  json::Value result;
  const auto number = [](const std::optional<power::Interval>& value, double power::Interval::* end) {
    return value ? json::Value((*value).*end) : json::Value();
  };
  for (const auto& [name, value] : intervals(totals)) {
    result[name] = number(value, &power::Interval::nominal);
    result[std::string(name) + "_low"] = number(value, &power::Interval::low);
    result[std::string(name) + "_high"] = number(value, &power::Interval::high);
  }
  return result;
}

}  // namespace spica::energy
