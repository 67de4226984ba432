// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/described_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "platform/base/config/value_text.h"
#include "platform/base/input/printable.h"
#include "platform/machine/loader/user_error.h"

namespace spica::cli {

namespace {

using config::Field;

/// "--block-scale", or BLOCK_SCALE of a word without a name.
std::string name_of(const Field& field, bool is_positional) {
  std::string name = field.name;
  if (is_positional)
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  else std::replace(name.begin(), name.end(), '_', '-');
  return is_positional ? name : "--" + name;
}

void set(const Field& field, const std::string& name, const std::string& text) {
  std::string why;
  const auto value = config::parse_value(field, text, why);
  if (value) return field.set(*value);
  throw loader::UserError(
      fmt::format("{}: {}; allowed: {}", name, input::printable(why), config::allowed_text(field)));
}

/// The help shows this behind the name.
std::string value_name(const Field& field) {
  switch (field.kind) {
    case Field::Kind::kInteger: return "UINT";
    case Field::Kind::kReal: return "FLOAT";
    case Field::Kind::kChoice: return '{' + fmt::format("{}", fmt::join(field.choices, ",")) + '}';
    default: return field.is_file ? "FILE" : "TEXT";
  }
}

std::string help_of(const Field& field) {
  const std::string usual = config::value_text(field, field.get());
  return usual.empty() || usual == "0" ? field.doc : fmt::format("{} (default: {})", field.doc, usual);
}

}  // namespace

void add_described(Command& command, const Field& options, const std::vector<std::string_view>& positional) {
  for (const Field& field : options.children) {
    const bool is_positional =
        std::find(positional.begin(), positional.end(), field.name) != positional.end();
    const std::string name = name_of(field, is_positional);
    if (field.kind == Field::Kind::kBool) {
      command.flag_calls(name, [field] { field.set(true); }, field.doc);
      continue;
    }
    Option option = command.option_calls<std::string>(
        name, [field, name](const std::string& text) { set(field, name, text); }, help_of(field));
    option.shows(value_name(field));
    if (field.required) option.required();
  }
}

}  // namespace spica::cli
