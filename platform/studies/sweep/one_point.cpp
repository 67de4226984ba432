// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/one_point.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "models/base/suggest.h"
#include "platform/base/config/value_text.h"
#include "platform/base/input/user_error.h"
#include "platform/base/json/parse.h"
#include "platform/studies/sweep/results.h"
#include "platform/studies/sweep/settings.h"

namespace spica::sweep {

namespace {

std::string label_of(const json::Value& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return text_of(value.get<double>());
  return value.dump();
}

}  // namespace

ChosenPoint point_of_json(const Plan& plan, const std::string& text) {
  const auto document = json::parse(text);
  if (!document || !document->is_object())
    throw input::UserError(
        "--point must be a JSON object with a value for each axis, for example {\"cores\": 4}");
  ChosenPoint chosen;
  chosen.point.index = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::string> names;
  for (const Axis& axis : plan.sweep().axes) {
    names.push_back(axis.name);
    const auto given = document->find(axis.name);
    if (given == document->end()) {
      if (axis.values.size() != 1)
        throw input::UserError(fmt::format("--point has no value for the axis {}", axis.name));
      chosen.point.values.push_back(&axis.values.front());
      continue;
    }
    const std::string label = label_of(*given);
    const auto known = std::find_if(axis.values.begin(), axis.values.end(), [&](const AxisValue& value) {
      return value.label == label || config::operand_of(value.label) == config::operand_of(label);
    });
    if (known != axis.values.end()) {
      chosen.point.values.push_back(&*known);
      continue;
    }
    if (axis.zipped || axis.keys.size() != 1)
      throw input::UserError(fmt::format("--point: \"{}\" is not a value of the axis {}", label, axis.name));
    const Setting setting =
        setting_of(*plan.sweep().job, axis.keys.front(), label).value_or(Setting{axis.keys.front(), label});
    std::string allowed;
    if (const std::string problem = value_problem(*plan.sweep().job, setting, allowed); !problem.empty())
      throw input::UserError(fmt::format("--point: {}: {}; allowed: {}", axis.name, problem, allowed));
    chosen.own.push_back(std::make_unique<AxisValue>(AxisValue{label, {setting}}));
    chosen.point.values.push_back(chosen.own.back().get());
  }
  for (const auto& [name, unused] : document->items())
    if (plan.sweep().axis(name) == nullptr)
      throw input::UserError(fmt::format("--point: \"{}\" is not an axis{}; axes: {}", name,
                                         base::did_you_mean(name, names), fmt::join(names, ", ")));
  return chosen;
}

}  // namespace spica::sweep
