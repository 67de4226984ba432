// SPDX-License-Identifier: Apache-2.0
// On what the result of a run rests: known differences from the published hardware, values that no source gives, programs
// that are not the published ones, and energies beyond what was measured.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/base/config/expression.h"
#include "platform/base/json/value.h"

namespace spica::job {

struct RunFacts;
struct RunFigures;

/// A known difference from the published hardware or program (docs/deviations.md).
struct Deviation {
  std::string id, title, effect;
  /// Whether a run's results are concerned. Names are keys of the machine; `job`, `machine` (the shipped configuration that it is
  /// or extends), `energy` and `area` (measured); single values of stats.json (`design`, `mode`); and
  /// values of its "stats" as record() keeps them. Other words are values.
  config::Expression when;
  bool improved = false;  // the program that runs is better than the published one
};

/// Those of configs/fidelity/deviations.json. Throws UserError when it cannot be read.
std::vector<Deviation> read_deviations(const std::filesystem::path& configs_dir);

/// "fidelity" of stats.json:
///   deviations     [{id, title, effect}] in effect in this run, in the order of the page
///   improved       ids of those that concern a program which is better than the published one
///   uncertain      [{key, value, unit, source}] of blocks that are present, at defaults that no source gives
///   sensitivity    what configs/fidelity/sensitivity has of the design: {design, size, cycles, changes: [{key, from, to, change}]};
///                  `change` of the cycles, 0.01 is 1 %; null: not measured, or fast
///   energies       sentences on the limits of the energies
/// `document`: the rest of stats.json. Throws UserError as read_deviations() does.
json::Value fidelity_json(const RunFacts& run, const json::Value& document);
/// The same for a run that has no stats.json.
json::Value fidelity_json(const RunFacts& run, const RunFigures& figures);
/// The section as text.
std::string fidelity_text(const json::Value& fidelity);

}  // namespace spica::job
