// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/machine_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>
#include <utility>
#include <variant>

#include "models/power/energy_table.h"
#include "models/power/operating_point.h"
#include "platform/base/config/problem.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/observe/energy/table_file.h"

namespace spica::sweep {

namespace {

using config::Better;
using config::Field;

std::string override_of(const std::string& key, const std::string& value) {
  return fmt::format("{}={}", key, value);
}

/// Of a number that is not whole, three digits: 0.8 - 0.1 is 0.7.
std::optional<std::string> real_step(double value, const base::Range& range, bool up) {
  const double next = up ? value * 1.125 : value * 0.875;
  if (next < range.min || next > range.max) return std::nullopt;
  return fmt::format("{:.4g}", next);
}

/// Sizes that programs see are mostly powers of two.
std::optional<std::uint64_t> double_or_half(std::uint64_t value, const base::Range& range, bool up) {
  if (!up && value % 2 != 0) return std::nullopt;
  const std::uint64_t next = up ? 2 * value : value / 2;
  if (static_cast<double>(next) < range.min || static_cast<double>(next) > range.max) return std::nullopt;
  return next;
}

std::optional<std::string> step_of(const Field& field, bool up) {
  if (field.kind == Field::Kind::kReal) return real_step(std::get<double>(field.get()), field.range, up);
  const auto value = std::get<std::uint64_t>(field.get());
  const bool is_size = !field.timing && field.better != Better::kLess;
  const auto next = is_size ? double_or_half(value, field.range, up)
                            : one_step(value, field.range.min, field.range.max,
                                       field.range.shape == base::Shape::kPow2, up);
  if (!next) return std::nullopt;
  return std::to_string(*next);
}

/// Without the places of the values.
std::string sentence_of(const config::Problem& problem) {
  const std::string what = problem.what.substr(0, problem.what.find("; "));
  return problem.key.empty() ? what : problem.key + ": " + what;
}

/// "a.units[0].dim, b" as keys of overrides: "a.units.0.dim", "b".
std::vector<std::string> keys_of(const config::Problem& problem) {
  std::vector<std::string> keys(1);
  for (const char c : problem.key)
    if (c == ',') keys.emplace_back();
    else if (c == '[') keys.back() += '.';
    else if (c != ' ' && c != ']') keys.back() += c;
  return keys;
}

std::string value_text(const Field& field) {
  if (field.kind == Field::Kind::kReal) return fmt::format("{:g}", std::get<double>(field.get()));
  return std::to_string(std::get<std::uint64_t>(field.get()));
}

bool is_zero(const Field& field) {
  return field.kind == Field::Kind::kReal ? std::get<double>(field.get()) == 0
                                          : std::get<std::uint64_t>(field.get()) == 0;
}

}  // namespace

std::optional<std::uint64_t> one_step(std::uint64_t value, double lowest, double highest, bool power_of_two,
                                      bool up) {
  const std::uint64_t step = power_of_two ? (up ? value : value / 2) : std::max<std::uint64_t>(1, value / 8);
  if (!up && step > value) return std::nullopt;
  const std::uint64_t next = up ? value + step : value - step;
  if (static_cast<double>(next) < lowest || static_cast<double>(next) > highest || next == value ||
      (power_of_two && next == 0))
    return std::nullopt;
  return next;
}

MachineSteps::MachineSteps(std::string config, std::filesystem::path configs_dir)
    : config_(std::move(config)), configs_dir_(std::move(configs_dir)) {
  auto params = config::read<soc::SocParams>(config::load(config_, {}, configs_dir_));
  find(config::describe(params, "", "", ""), "");
  find_voltage();
}

namespace {

/// A group that the machine does not have: an alternative that a choice next to it does not name, or a unit that is not
/// present.
bool is_unused(const Field& group, const Field& parent) {
  for (const Field& other : parent.children)
    if (other.kind == Field::Kind::kChoice && std::get<std::string>(other.get()) != group.name &&
        std::find(other.choices.begin(), other.choices.end(), group.name) != other.choices.end())
      return true;
  return std::any_of(group.children.begin(), group.children.end(), [](const Field& child) {
    return child.name == "present" && child.kind == Field::Kind::kBool && !std::get<bool>(child.get());
  });
}

}  // namespace

void MachineSteps::find(const Field& field, const std::string& path) {
  for (const Field& child : field.children) {
    const std::string key = path.empty() ? child.name : path + '.' + child.name;
    if (!child.is_value() && is_unused(child, field)) continue;
    if (!child.is_value()) {
      find(child, key);
      continue;
    }
    if (child.kind != Field::Kind::kInteger && child.kind != Field::Kind::kReal) continue;
    if (child.kind == Field::Kind::kInteger && child.better != Better::kEither && !is_zero(child)) {
      const auto value = std::get<std::uint64_t>(child.get());
      const auto text = [](const std::optional<std::uint64_t>& next) {
        return next ? std::optional(std::to_string(*next)) : std::nullopt;
      };
      const bool is_time = child.better == Better::kLess;
      followers_[key] = is_time || child.timing
                            ? Follower{step_of(child, true), step_of(child, false), is_time}
                            : Follower{text(double_or_half(value, child.range, true)),
                                       text(double_or_half(value, child.range, false)), is_time};
    }
    if (child.better == Better::kNeither || is_zero(child)) continue;
    Parameter one{key, path, child.unit, value_text(child), !child.timing, {}, {}, {}};
    const auto up = step_of(child, true), down = step_of(child, false);
    if (child.better == Better::kEither) {
      for (const auto& value : {up, down})
        if (value) one.choices.push_back(*value);
    } else {
      one.better = child.better == Better::kMore ? up : down;
      one.worse = child.better == Better::kMore ? down : up;
    }
    if (one.better || one.worse || !one.choices.empty()) parameters_.push_back(std::move(one));
  }
}

/// A lower supply voltage is the same machine at less energy. What is not said is that of the energy table.
void MachineSteps::find_voltage() {
  const auto params = config::read<soc::SocParams>(config::load(config_, {}, configs_dir_));
  try {
    table_ = energy::read_table(params.power.table, configs_dir_);
  } catch (const config::ConfigError&) {
    return;  // of a run without energy
  }
  voltage_ = params.power.voltage != 0 ? params.power.voltage : table_->voltage;
  Parameter one{"power.voltage", "power", "V", fmt::format("{:g}", voltage_), true, {}, {}, {}};
  one.better = fmt::format("{:.3g}", 0.875 * voltage_);
  parameters_.push_back(std::move(one));
}

/// A clock that is too high for the voltage comes with the lowest voltage that it is not too high for.
void MachineSteps::raise_voltage(Step& step) const {
  const double mhz = std::strtod(step.tried.c_str(), nullptr);
  if (table_ == nullptr || table_->highest_clock.mhz == 0 || mhz <= power::highest_mhz(*table_, voltage_))
    return;
  constexpr double kStep = 0.025;
  for (double voltage = voltage_ + kStep; voltage <= table_->highest_clock.highest_voltage; voltage += kStep)
    if (mhz <= power::highest_mhz(*table_, voltage)) {
      step.overrides.push_back(override_of("power.voltage", fmt::format("{:.4g}", voltage)));
      return;
    }
}

std::optional<config::Problem> MachineSteps::problem(const std::vector<std::string>& overrides) const {
  try {
    config::read<soc::SocParams>(config::load(config_, overrides, configs_dir_));
  } catch (const config::ConfigError& error) {
    return error.problems().front();
  }
  return std::nullopt;
}

double MachineSteps::mhz(const std::vector<std::string>& overrides) const {
  return config::read<soc::SocParams>(config::load(config_, overrides, configs_dir_)).core_mhz();
}

Step MachineSteps::step(const Parameter& parameter, const std::string& tried, Direction direction) const {
  Step step{parameter.key,
            parameter.unit,
            parameter.value,
            tried,
            {override_of(parameter.key, tried)},
            direction,
            {}};
  if (parameter.unit == "MHz" && direction == Direction::kBetter) raise_voltage(step);
  constexpr std::size_t kMostFollowers = 3;
  std::optional<config::Problem> wrong = problem(step.overrides);
  const std::string first = wrong ? sentence_of(*wrong) : "";
  std::set<std::string> moved{parameter.key};
  const auto follow = [&] {
    for (const std::string& key : keys_of(*wrong)) {
      const auto known = followers_.find(key);
      if (known == followers_.end() || moved.count(key) != 0) continue;
      const bool up = (direction != Direction::kWorse) != known->second.is_time;
      const auto& value = up ? known->second.up : known->second.down;
      if (!value) continue;
      step.overrides.push_back(override_of(key, *value));
      const auto now = problem(step.overrides);
      if (!now || now->key != wrong->key) {
        moved.insert(key);
        wrong = now;
        return true;
      }
      step.overrides.pop_back();
    }
    return false;
  };
  while (wrong && step.overrides.size() <= kMostFollowers && follow()) {
  }
  if (wrong) {
    step.refused = first;
    step.overrides.resize(1);
  }
  return step;
}

Step MachineSteps::better(const Parameter& parameter) const {
  return step(parameter, parameter.better.value(), Direction::kBetter);
}

Step MachineSteps::worse(const Parameter& parameter) const {
  return step(parameter, parameter.worse.value(), Direction::kWorse);
}

std::vector<Step> MachineSteps::choices(const Parameter& parameter) const {
  std::vector<Step> steps;
  for (const std::string& value : parameter.choices)
    steps.push_back(step(parameter, value, Direction::kChoice));
  return steps;
}

std::vector<std::string> MachineSteps::together(const std::vector<const Parameter*>& parameters,
                                                bool better) const {
  std::vector<std::string> all;
  for (const Parameter* one : parameters)
    if (const auto& value = better ? one->better : one->worse) all.push_back(override_of(one->key, *value));
  if (!problem(all)) return all;
  std::vector<std::string> legal;
  for (const std::string& one : all) {
    legal.push_back(one);
    if (problem(legal)) legal.pop_back();
  }
  return legal;
}

}  // namespace spica::sweep
