// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/base/json/value.h"
#include "platform/studies/sweep/neighbours.h"

namespace spica::sweep {

/// All that was found, for programs.
json::Value neighbourhood_json(const Neighbourhood& found);

/// The same for people, one or more lines: what would help most, the time by part, the tables of steps, and what was
/// tried. `percent`: the smallest change of time that counts. `remade`: the program is made for each machine.
std::string neighbourhood_text(const Neighbourhood& found, double percent, bool remade);

}  // namespace spica::sweep
