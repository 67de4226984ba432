// SPDX-License-Identifier: Apache-2.0
#include "platform/experiment/energy_sensitivity.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "platform/json/parse.h"

namespace spica::experiment {

const CellResult* verified_cell(const std::vector<CellResult>& results, const std::string& design,
                                const std::string& size) {
  const auto found = std::find_if(results.begin(), results.end(), [&](const CellResult& one) {
    return one.cell.design == design && one.cell.size == size && one.energy && one.verified;
  });
  return found == results.end() ? nullptr : &*found;
}

std::vector<EnergySensitivity> energy_sensitivities(const std::vector<CellResult>& results,
                                                    const std::vector<Comparison>& comparisons) {
  const auto energy_of = [](const CellResult& result) {
    return json::read_file((result.folder / "energy.json").string()).value_or(nullptr);
  };
  std::vector<EnergySensitivity> all;
  for (const auto& [design, reference] : comparisons)
    for (const CellResult& result : results) {
      if (result.cell.design != design || !result.energy || !result.verified) continue;
      const CellResult* other = verified_cell(results, reference, result.cell.size);
      if (other == nullptr) continue;
      const json::Value run = energy_of(result), base = energy_of(*other);
      for (const report::EnergyKind kind : report::kEnergyKinds)
        if (auto found = report::sensitivity(run, base, kind))
          all.push_back({result.cell.size, design, reference, kind, std::move(*found)});
    }
  return all;
}

}  // namespace spica::experiment
