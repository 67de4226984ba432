// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platform/studies/sweep/plan.h"

namespace spica::sweep {

/// A point given by its values, with the values that the sweep does not contain.
struct ChosenPoint {
  std::vector<std::unique_ptr<AxisValue>> own;  // values that are not in the file
  Point point;
};

/// Parses a JSON object with a value for each axis that has several: {"cores": 4, "design": "tc"}. An axis with a
/// single key may have a value that is not in the file. Throws UserError.
ChosenPoint point_of_json(const Plan& plan, const std::string& text);

}  // namespace spica::sweep
