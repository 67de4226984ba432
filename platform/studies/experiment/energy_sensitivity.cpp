// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/experiment/energy_sensitivity.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "platform/base/json/parse.h"
#include "platform/studies/experiment/energy_figures.h"

namespace spica::experiment {

std::vector<EnergySensitivity> energy_sensitivities(const std::vector<CellResult>& results,
                                                    const std::vector<sweep::DesignPair>& comparisons) {
  const auto energy_of = [](const CellResult& result) {
    return json::read_file((result.folder / "energy.json").string()).value_or(nullptr);
  };
  std::vector<EnergySensitivity> all;
  for (const auto& [design, reference, result, other] : verified_pairs(results, comparisons)) {
    const json::Value run = energy_of(*result), base = energy_of(*other);
    for (const report::EnergyKind kind : report::kEnergyKinds)
      if (auto found = report::sensitivity(run, base, kind))
        all.push_back({result->cell.size, design, reference, kind, std::move(*found)});
  }
  return all;
}

}  // namespace spica::experiment
