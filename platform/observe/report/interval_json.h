// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "models/power/interval.h"
#include "platform/base/json/value.h"

namespace spica::report {

/// The common JSON form of an interval, in its unit: "low", "nominal", "high".
inline json::Value interval_json(const power::Interval& value) {
  return {{"low", value.low}, {"nominal", value.nominal}, {"high", value.high}};
}

}  // namespace spica::report
