// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "platform/base/config/yaml_bytes.h"
#include "platform/base/input/number_text.h"
#include "platform/base/input/user_error.h"
#include "platform/studies/sweep/sampling.h"
#include "platform/studies/sweep/settings.h"

namespace spica::sweep {

Plan::Plan(const Sweep& sweep) : sweep_(sweep) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  double size = 1;
  for (const Axis& axis : sweep.axes) {
    size *= static_cast<double>(axis.values.size());
    if (size >= static_cast<double>(kMost))
      throw input::UserError(
          fmt::format("{}: the axes have {:.3g} combinations, more than can be numbered", sweep.name, size));
    grid_ *= axis.values.size();
  }
  drawn_ = sweep.sample.kind == SampleKind::kAll ? grid_ : std::min(sweep.sample.count, grid_);
  if (drawn_ > kMostPoints)
    throw input::UserError(fmt::format(
        "{}: the axes have {} combinations, at most {} can be listed one by one; use sample: {{random: N}}",
        sweep.name, grid_, kMostPoints));
}

Point Plan::point(std::uint64_t index) const {
  Point point;
  point.index = index;
  point.values.resize(sweep_.axes.size());
  if (index >= drawn_) {
    const NamedPoint& named = sweep_.also.at(index - drawn_);
    point.name = named.name.empty() ? fmt::format("also {}", index - drawn_ + 1) : named.name;
    for (std::size_t i = 0; i < named.values.size(); ++i) point.values[i] = &named.values[i];
    return point;
  }
  std::vector<std::uint64_t> extents;
  for (const Axis& axis : sweep_.axes) extents.push_back(axis.values.size());
  const std::vector<std::uint64_t> choices = chosen(sweep_.sample, extents, drawn_, index);
  for (std::size_t i = 0; i < choices.size(); ++i) point.values[i] = &sweep_.axes[i].values[choices[i]];
  return point;
}

config::Operand Plan::value_of(const Point& point, const std::string& name) const {
  for (std::size_t i = 0; i < point.values.size(); ++i) {
    if (sweep_.axes[i].name == name) return config::operand_of(point.values[i]->label);
    for (const Setting& setting : point.values[i]->settings)
      if (setting.key == name) return config::operand_of(setting.value);
  }
  if (const std::string fixed = sweep_.fixed_value(name); !fixed.empty()) return config::operand_of(fixed);
  const config::Field* const option = find_option(*sweep_.job, name);
  return option == nullptr || option->name == name ? config::Operand() : value_of(point, option->name);
}

bool Plan::exists(const Point& point,
                  const std::function<config::Operand(const std::string&)>& parameter) const {
  if (!point.name.empty()) return true;
  return std::all_of(sweep_.only.begin(), sweep_.only.end(), [&](const config::Expression& condition) {
    return condition.holds([&](const std::string& name) {
      config::Operand value = value_of(point, name);
      return std::holds_alternative<std::monostate>(value) ? parameter(name) : value;
    });
  });
}

const std::string& option_of(const Sweep& sweep, const Point& point, std::string_view key) {
  static const std::string nothing;
  for (const AxisValue* value : point.values)
    for (const Setting& setting : value->settings)
      if (setting.key == key) return setting.value;
  for (const Setting& setting : sweep.fixed)
    if (setting.key == key) return setting.value;
  return nothing;
}

std::vector<Setting> settings_of(const Sweep& sweep, const Point& point) {
  std::vector<Setting> settings = sweep.fixed;
  for (const AxisValue* value : point.values)
    settings.insert(settings.end(), value->settings.begin(), value->settings.end());
  return settings;
}

std::string override_of(const Setting& setting) {
  if (setting.target == Target::kYaml) return setting.key + "=" + setting.value;
  const bool plain = std::all_of(setting.value.begin(), setting.value.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           (c != '\0' && std::strchr("_-+./", c) != nullptr);
  });
  const std::string value = plain ? setting.value : config::quoted_value(setting.value);
  if (setting.target != Target::kGroup) return setting.key + "=" + value;
  const bool is_name = setting.value.find_first_of("./") == std::string::npos;
  return fmt::format("{}={{extends: {}{}}}", setting.key, is_name ? "blocks/" : "", value);
}

workloads::RunRequest request_of(const Sweep& sweep, const Point& point, unsigned repeat) {
  const std::vector<Setting> settings = settings_of(sweep, point);
  std::vector<workloads::RunRequest::Option> given;
  workloads::RunRequest request{sweep.job, {}};
  for (const Setting& setting : settings)
    if (!setting.of_machine()) given.push_back({setting.key, setting.value});
  bool seeded = false;
  for (const config::Field& option : options_of(*sweep.job)) {
    if (option.name == "args") {
      if (std::string arguments = arguments_of(*sweep.job, settings); !arguments.empty())
        request.add("args", arguments);
      continue;
    }
    if (!workloads::missing(option, given).empty()) continue;  // it has an effect at another point
    for (auto& [key, value] : given) {
      if (key != option.name) continue;
      if (option.kind == config::Field::Kind::kChoice && value.empty()) continue;  // left open
      if (option.name == "seed") {
        seeded = true;
        if (const auto seed = input::parse_number(value)) value = std::to_string(*seed + repeat);
      }
      request.add(key, value);
    }
  }
  if (!seeded && repeat != 0) request.add("seed", std::to_string(1 + repeat));
  for (const std::string& load : sweep.loads) request.add("load", load);
  for (const Setting& setting : settings)
    if (setting.of_machine()) request.add("set", override_of(setting));
  return request;
}

std::vector<std::string> command_of(const Sweep& sweep, const Point& point, unsigned repeat) {
  return workloads::command_line(request_of(sweep, point, repeat));
}

}  // namespace spica::sweep
