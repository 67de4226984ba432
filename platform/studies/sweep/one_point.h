// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platform/studies/sweep/plan.h"

namespace spica::sweep {

/// A point that was chosen elsewhere, with the values that belong to it.
struct ChosenPoint {
  std::vector<std::unique_ptr<AxisValue>> own;  // values that are none of their axis
  Point point;
};

/// The point of `text`, a JSON object with a value for each axis that has several: {"cores": 4, "design": "tc"}. An
/// axis of one key may have a value that is not in the file. Throws UserError.
ChosenPoint point_of_json(const Plan& plan, const std::string& text);

}  // namespace spica::sweep
