// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/experiment/gpu_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "platform/base/text/number_format.h"

namespace spica::experiment {

namespace {

/// The machine of a cell, as in its stats.json.
std::string machine_text(const json::Value& network) {
  const auto number = [&](const char* name) { return network.at(name).get<std::uint64_t>(); };
  const bool warm = network.at("warm").get<bool>();
  return fmt::format(
      "{} multiprocessors on {} ports, {} slices of the level 2 cache ({}, hash {}), {} memory channels",
      number("clusters"), number("ports"), number("slices"),
      warm ? "filled by the host" : "empty at the start", network.at("hash").get<std::string>(),
      number("channels"));
}

std::string cell_text(const CellResult& result) {
  const json::Value& gpu = result.gpu;
  std::string text = fmt::format("{} {}: ", result.cell.design, size_text(result.cell));
  if (const json::Value& groups = gpu.at("work_groups"); groups.is_number()) {
    const auto count = groups.get<std::uint64_t>(),
               at_once = gpu.at("work_groups_at_once").get<std::uint64_t>();
    text += fmt::format("{} work groups in {:.2f} rounds of {}, ", text::grouped(count),
                        static_cast<double>(count) / static_cast<double>(at_once), text::grouped(at_once));
  }
  text += fmt::format("{:.1f} s of the host\n  limits ", gpu.at("host_seconds").get<double>());
  std::string channels;
  for (const auto& [name, full] : gpu.at("channels").items())
    channels += fmt::format("{}{} {}", channels.empty() ? "" : ", ", name, text::percent(full.get<double>()));
  return text + channels + "\n";
}

}  // namespace

void print_gpus(const std::vector<CellResult>& results) {
  std::string machines, cells;
  for (const CellResult& result : results) {
    if (result.gpu.is_null()) continue;
    const std::string machine = machine_text(result.gpu.at("network"));
    if (machines.find(machine) == std::string::npos) machines += "Simulated: " + machine + "\n";
    cells += cell_text(result);
  }
  if (!machines.empty()) fmt::print("\n{}{}", machines, cells);
}

}  // namespace spica::experiment
