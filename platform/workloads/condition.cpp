// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/condition.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <cmath>

#include "platform/base/config/describe.h"
#include "platform/base/config/find_field.h"
#include "platform/base/config/value_text.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/soc/soc_config.h"

namespace spica::workloads {

namespace {

using config::Expression;
using config::Field;
using config::Operand;
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

bool is_comparison(const Expression::Node& node) {
  return node.kind == Expression::Node::Kind::kOperation &&
         (node.name == "==" || node.name == "!=" || node.name.find_first_of("<>") == 0);
}

/// A value as it was written, without quotes.
std::string word_of(const Expression::Node& node) {
  return boost::trim_copy_if(node.text, boost::is_any_of("\"'"));
}

std::string value_problem(const Field& field, const std::string& key, const std::string& value) {
  std::string why;
  if (config::parse_value(field, value, why)) return {};
  return fmt::format("{}: '{}' is {}; allowed: {}", key, value, why, config::allowed_text(field));
}

}  // namespace

MachineValues::MachineValues(const soc::SocParams& params)
    : params_(params), root_(config::describe(params_)) {}

Operand MachineValues::value_of(const std::string& key) const {
  bool is_there = false;
  const std::optional<Field> field = find(root_, key, is_there);
  if (!field) return key;  // a word, such as a choice
  return is_there ? config::operand_of(*field) : Operand();
}

bool MachineValues::compares_key(const Node& node) const {
  return is_comparison(node) && node.name != "!=" && node.inner[0].kind == Node::Kind::kName;
}

std::string MachineValues::problem(const Expression& condition) const {
  const Node& root = condition.root();
  if (!root.is("if")) return truth_problem(root);
  const std::string of_second = truth_problem(root.inner[1]);
  return of_second.empty() ? truth_problem(root.inner[0]) : of_second;
}

std::string MachineValues::truth_problem(const Node& node) const {
  if (is_comparison(node)) return comparison_problem(node);
  if (node.is("and") || node.is("or") || node.is("not")) {
    for (const Node& part : node.inner)
      if (std::string why = truth_problem(part); !why.empty()) return why;
    return {};
  }
  if (node.kind == Node::Kind::kName) {
    bool is_there = false;
    const std::optional<Field> field = find(root_, node.name, is_there);
    if (!field) return fmt::format("no machine has the key {}", node.name);
    if (field->kind == Field::Kind::kBool) return {};
  }
  return fmt::format("'{}' is not a condition; one is KEY=VALUE, KEY=VALUE|VALUE, KEY>=VALUE or KEY<=VALUE",
                     node.text);
}

std::string MachineValues::number_problem(const Node& node) const {
  if (node.kind == Node::Kind::kConstant)
    return std::holds_alternative<double>(node.constant) ? "" : fmt::format("{} is not a number", node.text);
  if (node.kind == Node::Kind::kName) {
    bool is_there = false;
    const std::optional<Field> field = find(root_, node.name, is_there);
    if (!field) return fmt::format("no machine has the key {}", node.name);
    return is_number(*field) ? "" : fmt::format("{} is not a number", node.name);
  }
  if (std::string("+-*/%").find(node.name) == std::string::npos && !node.is("negative"))
    return fmt::format("'{}' is not a number", node.text);
  for (const Node& part : node.inner)
    if (std::string why = number_problem(part); !why.empty()) return why;
  return {};
}

std::string MachineValues::comparison_problem(const Node& node) const {
  const Node& left = node.inner[0];
  const bool is_equality = node.is("==") || node.is("!=");
  bool is_there = false;
  std::optional<Field> field;
  if (left.kind == Node::Kind::kName) {
    field = find(root_, left.name, is_there);
    if (!field) return fmt::format("no machine has the key {}", left.name);
  }
  if (!field || !is_equality)
    if (std::string why = number_problem(left); !why.empty()) return why;
  for (std::size_t i = 1; i < node.inner.size(); ++i) {
    const Node& value = node.inner[i];
    const bool is_word = value.kind != Node::Kind::kOperation && !knows(value.name);
    std::string why;
    if (field && is_word) why = value_problem(*field, left.name, word_of(value));
    else if (std::string part = number_problem(value); !part.empty() && (!field || is_number(*field)))
      why = fmt::format("{}: {}", left.text, part);
    if (!why.empty()) return why;
  }
  return {};
}

std::string MachineValues::wanted_text(const Node& node, const std::vector<std::string>& values) const {
  if (!compares_key(node)) return node.text;
  const std::string& key = node.inner[0].name;
  if (node.is(">=")) return fmt::format("{} of at least {}", key, values.front());
  if (node.is("<=")) return fmt::format("{} of at most {}", key, values.front());
  if (!node.is("==")) return fmt::format("{} {} {}", key, node.name, values.front());
  std::string text = key + " = " + values.front();
  for (std::size_t i = 1; i < values.size(); ++i)
    text += (i + 1 == values.size() ? " or " : ", ") + values[i];
  return text;
}

std::string MachineValues::unmet(const Expression& condition) const {
  const auto lookup = [this](const std::string& key) { return value_of(key); };
  if (condition.holds(lookup)) return {};
  const bool has_second = condition.root().is("if");
  const Node& node = has_second ? condition.root().inner[0] : condition.root();
  const auto words_of = [](const Node& part) {
    std::vector<std::string> words;
    for (std::size_t i = 1; i < part.inner.size(); ++i) words.push_back(word_of(part.inner[i]));
    return words;
  };
  const auto wanted = [&](const std::vector<std::string>& values) {
    std::string text = wanted_text(node, values);
    if (has_second)
      text += " when " + wanted_text(condition.root().inner[1], words_of(condition.root().inner[1]));
    return text;
  };
  std::vector<std::string> values = words_of(node);
  for (const std::string& name : condition.names())
    if (knows(name) && std::holds_alternative<std::monostate>(value_of(name)))
      return fmt::format("needs {}; this machine has no such entry", wanted(values));
  if (!compares_key(node)) {
    std::vector<std::string> have;
    for (const std::string& name : condition.names())
      if (knows(name)) {
        const Operand value = value_of(name);
        const double* const number = std::get_if<double>(&value);
        have.push_back(
            fmt::format("{} = {}", name,
                        number != nullptr ? config::number_text(*number) : std::get<std::string>(value)));
      }
    return fmt::format("needs {}; this machine has {}", wanted(values), fmt::join(have, ", "));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Node& part = node.inner[i + 1];
    if (part.kind != Node::Kind::kOperation && !knows(part.name)) continue;
    const Operand value = condition.value(part, lookup);
    if (const double* const calculated = std::get_if<double>(&value))
      values[i] = config::number_text(*calculated);
    else if (const auto* const word = std::get_if<std::string>(&value)) values[i] = *word;
  }
  bool is_there = false;
  const std::string& key = node.inner[0].name;
  const std::optional<Field> field = find(root_, key, is_there);
  const Value here = field->get();
  const std::string* nearest = nullptr;
  double distance = 0;
  for (const std::string& text : values) {
    std::string why;
    const std::optional<Value> value = config::parse_value(*field, text, why);
    if (!value) continue;
    const double away = std::fabs(number(*value) - number(here));
    if (nearest != nullptr && away >= distance) continue;
    nearest = &text;
    distance = away;
  }
  if (nearest == nullptr) return value_problem(*field, key, values.front());
  const bool is_value = node.name != "<" && node.name != ">";  // else the bound is none
  return fmt::format("needs {}; this machine has {}{}", wanted(values), config::value_text(*field, here),
                     is_value ? fmt::format(": --set {}={}", key, boost::erase_all_copy(*nearest, " ")) : "");
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

std::vector<std::string> unmet(const std::vector<std::string>& needs, const soc::SocParams& params) {
  std::vector<std::string> reasons;
  if (needs.empty()) return reasons;
  const MachineValues machine(params);
  for (const std::string& need : needs)
    if (std::string reason = machine.unmet(Expression(need)); !reason.empty())
      reasons.push_back(std::move(reason));
  return reasons;
}

std::vector<std::string> defines_for(const std::vector<std::string>& defines,
                                     const std::vector<std::string>& follows, const soc::SocParams& params,
                                     const std::string& who) {
  const MachineValues machine(params);
  std::vector<std::string> followed;
  for (const std::string& text : follows) {
    const std::size_t at = text.find('=');
    const std::string key = text.substr(at + 1);
    const std::optional<std::string> value = machine.define_value(key);
    if (!value)
      throw input::UserError(fmt::format("{} adapts to {}, which this machine does not have", who, key));
    followed.push_back(text.substr(0, at + 1) + *value);
  }
  const auto name = [](const std::string& define) { return define.substr(0, define.find('=')); };
  std::vector<std::string> all;
  for (const std::string& define : defines)
    if (std::none_of(followed.begin(), followed.end(),
                     [&](const auto& other) { return name(other) == name(define); }))
      all.push_back(define);
  all.insert(all.end(), followed.begin(), followed.end());
  return all;
}

void check_needs(const std::vector<std::string>& needs, const config::Contradiction& contradiction) {
  if (needs.empty()) return;
  static const MachineValues machine{soc::SocParams()};  // any machine has all keys
  for (std::size_t i = 0; i < needs.size(); ++i) {
    std::string why;
    try {
      why = machine.problem(Expression(needs[i]));
    } catch (const input::UserError& error) {
      why = error.what();
    }
    if (!why.empty()) contradiction({fmt::format("needs.{}", i)}, why);
  }
}

}  // namespace spica::workloads
