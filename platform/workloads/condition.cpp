// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <cmath>

#include "platform/base/config/describe.h"
#include "platform/base/config/find_field.h"
#include "platform/base/config/value_text.h"
#include "platform/base/input/number_text.h"
#include "platform/machine/soc/soc_config.h"

namespace spica::workloads {

namespace {

using config::Field;
using config::Value;

/// The value of a key.
std::optional<Field> find(const Field& root, const std::string& key, bool& is_there) {
  std::optional<Field> field = config::find_field(root, key, is_there);
  return field && field->is_value() ? field : std::nullopt;
}

double number(const Value& value) {
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return 0;
}

bool is_number(const Field& field) {
  return field.kind == Field::Kind::kInteger || field.kind == Field::Kind::kReal;
}

std::string wanted_text(const Condition& condition) {
  if (!condition.when.empty()) {
    Condition alone = condition;
    alone.when.clear();
    return fmt::format("{} when {}", wanted_text(alone), wanted_text(condition.when.front()));
  }
  switch (condition.kind) {
    case Condition::Kind::kAtLeast:
      return fmt::format("{} of at least {}", condition.key, condition.values.front());
    case Condition::Kind::kAtMost:
      return fmt::format("{} of at most {}", condition.key, condition.values.front());
    case Condition::Kind::kOneOf: break;
  }
  std::string text = condition.key + " = " + condition.values.front();
  for (std::size_t i = 1; i < condition.values.size(); ++i)
    text += (i + 1 == condition.values.size() ? " or " : ", ") + condition.values[i];
  return text;
}

bool meets(Condition::Kind kind, const Value& here, const Value& wanted) {
  switch (kind) {
    case Condition::Kind::kAtLeast: return number(here) >= number(wanted);
    case Condition::Kind::kAtMost: return number(here) <= number(wanted);
    case Condition::Kind::kOneOf: break;
  }
  return here == wanted;
}

}  // namespace

std::optional<Condition> Condition::parse(const std::string& text, std::string& why) {
  if (const std::size_t at = text.find(" if "); at != std::string::npos) {
    std::optional<Condition> condition = parse(text.substr(0, at), why),
                             when = parse(text.substr(at + 4), why);
    if (!condition || !when) return std::nullopt;
    condition->when.push_back(std::move(*when));
    return condition;
  }
  static constexpr std::pair<const char*, Kind> kSigns[] = {
      {">=", Kind::kAtLeast}, {"<=", Kind::kAtMost}, {"=", Kind::kOneOf}};
  for (const auto& [sign, kind] : kSigns) {
    const std::size_t at = text.find(sign);
    if (at == std::string::npos) continue;
    Condition condition;
    condition.key = boost::trim_copy(text.substr(0, at));
    condition.kind = kind;
    boost::split(condition.values, text.substr(at + std::string_view(sign).size()), boost::is_any_of("|"));
    for (std::string& value : condition.values) boost::trim(value);
    if (condition.key.empty() ||
        std::find(condition.values.begin(), condition.values.end(), "") != condition.values.end())
      break;
    if (kind != Kind::kOneOf && condition.values.size() > 1) break;
    return condition;
  }
  why =
      "a condition is KEY=VALUE, KEY=VALUE|VALUE, KEY>=VALUE or KEY<=VALUE, and may end with if and another one";
  return std::nullopt;
}

MachineValues::MachineValues(const soc::SocParams& params)
    : params_(params), root_(config::describe(params_)) {}

std::string MachineValues::problem(const Condition& condition) const {
  for (const Condition& when : condition.when)
    if (std::string why = problem(when); !why.empty()) return why;
  bool is_there = false;
  const std::optional<Field> field = find(root_, condition.key, is_there);
  if (!field) return fmt::format("no machine has the key {}", condition.key);
  if (condition.kind != Condition::Kind::kOneOf && !is_number(*field))
    return fmt::format("{} is not a number", condition.key);
  for (const std::string& value : condition.values) {
    std::string why;
    if (is_computed(value)) {
      if (!product(value))
        return fmt::format("{}: '{}' is not a product of numbers and keys", condition.key, value);
    } else if (!config::parse_value(*field, value, why))
      return fmt::format("{}: '{}' is {}; allowed: {}", condition.key, value, why,
                         config::allowed_text(*field));
  }
  return {};
}

bool MachineValues::is_computed(const std::string& text) const {
  return text.find('*') != std::string::npos || knows(text);
}

std::optional<std::uint64_t> MachineValues::product(const std::string& text) const {
  std::vector<std::string> factors;
  boost::split(factors, text, boost::is_any_of("*"));
  std::uint64_t all = 1;
  for (const std::string& factor : factors) {
    const std::string name = boost::trim_copy(factor);
    bool is_there = false;
    if (!name.empty() && boost::all(name, boost::is_digit()) && name.size() < 10) {
      all *= std::stoull(name);
    } else if (const std::optional<Field> field = find(root_, name, is_there);
               field && is_there && is_number(*field)) {
      all *= static_cast<std::uint64_t>(number(field->get()));
    } else {
      return std::nullopt;
    }
  }
  return all;
}

std::string MachineValues::unmet(const Condition& given) const {
  for (const Condition& when : given.when)
    if (!unmet(when).empty()) return {};
  Condition condition = given;
  for (std::string& value : condition.values) {
    if (!is_computed(value)) continue;
    const std::optional<std::uint64_t> number = product(value);
    if (!number) return fmt::format("needs {}; this machine has no such entry", wanted_text(given));
    value = std::to_string(*number);
  }
  bool is_there = false;
  const std::optional<Field> field = find(root_, condition.key, is_there);
  if (!field) return problem(condition);
  if (!is_there) return fmt::format("needs {}; this machine has no such entry", wanted_text(condition));
  const Value here = field->get();
  if (const auto bound = input::parse_number(condition.values.front());
      bound && is_number(*field) && condition.kind != Condition::Kind::kOneOf) {
    // A bound that was calculated may be beyond the values that the key can have.
    const auto limit = static_cast<double>(*bound);
    if (condition.kind == Condition::Kind::kAtLeast ? number(here) >= limit : number(here) <= limit)
      return {};
  }
  const std::string* nearest = nullptr;
  double distance = 0;
  for (const std::string& text : condition.values) {
    std::string why;
    const std::optional<Value> value = config::parse_value(*field, text, why);
    if (!value) continue;
    if (meets(condition.kind, here, *value)) return {};
    const double away = std::fabs(number(*value) - number(here));
    if (nearest != nullptr && away >= distance) continue;
    nearest = &text;
    distance = away;
  }
  if (nearest == nullptr) return problem(condition);
  return fmt::format("needs {}; this machine has {}: --set {}={}", wanted_text(condition),
                     config::value_text(*field, here), condition.key, boost::erase_all_copy(*nearest, " "));
}

std::optional<std::string> MachineValues::define_value(const std::string& key) const {
  bool is_there = false;
  const std::optional<Field> field = find(root_, key, is_there);
  if (!field || !is_there) return std::nullopt;
  const Value value = field->get();
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) return std::to_string(*whole);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "1" : "0";
  return boost::to_upper_copy(config::value_text(*field, value));
}

bool MachineValues::knows(const std::string& key) const {
  bool is_there = false;
  return find(root_, key, is_there).has_value();
}

std::vector<std::string> unmet(const std::vector<Condition>& conditions, const soc::SocParams& params) {
  std::vector<std::string> reasons;
  if (conditions.empty()) return reasons;
  const MachineValues machine(params);
  for (const Condition& condition : conditions)
    if (std::string reason = machine.unmet(condition); !reason.empty()) reasons.push_back(std::move(reason));
  return reasons;
}

std::vector<Condition> parse_needs(const std::vector<std::string>& needs) {
  std::vector<Condition> conditions;
  for (const std::string& text : needs) {
    std::string why;
    if (std::optional<Condition> condition = Condition::parse(text, why))
      conditions.push_back(std::move(*condition));
  }
  return conditions;
}

void check_needs(const std::vector<std::string>& needs, const config::Contradiction& contradiction) {
  if (needs.empty()) return;
  const MachineValues machine{soc::SocParams()};
  for (std::size_t i = 0; i < needs.size(); ++i) {
    std::string why;
    if (const std::optional<Condition> condition = Condition::parse(needs[i], why))
      why = machine.problem(*condition);
    if (!why.empty()) contradiction({fmt::format("needs.{}", i)}, why);
  }
}

}  // namespace spica::workloads
