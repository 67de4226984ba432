// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/base/json/value.h"
#include "platform/studies/sweep/neighbours.h"

namespace spica::sweep {

/// All results as JSON.
json::Value neighbourhood_json(const Neighbourhood& found);

/// The results as text of one or more lines: the most helpful steps, time by part, tables of steps, and the tried
/// parameters. `percent`: smallest change of time that counts. `remade`: the program is compiled for each machine.
std::string neighbourhood_text(const Neighbourhood& found, double percent, bool remade);

}  // namespace spica::sweep
