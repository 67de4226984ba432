// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/described_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "platform/base/config/earlier_name.h"
#include "platform/base/config/option_name.h"
#include "platform/base/config/value_text.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"

namespace spica::cli {

namespace {

using config::Field;
using config::option_name;

bool has(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// "--block-scale" with its letter and its earlier names, or BLOCK_SCALE of a word without a name.
std::string name_of(const Field& field, bool is_positional) {
  std::string name = field.name;
  if (!is_positional) {
    name = (field.letter.empty() ? "" : "-" + field.letter + ",") + option_name(name);
    for (const std::string& earlier : field.earlier) name += ',' + option_name(earlier);
    return name;
  }
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return name;
}

void set(const Field& field, const std::string& name, const std::string& text) {
  std::string why;
  const auto value = config::parse_value(field, text, why);
  if (value) return field.set(*value);
  throw input::UserError(
      fmt::format("{}: {}; allowed: {}", name, input::printable(why), config::allowed_text(field)));
}

/// The help shows this behind the name.
std::string value_name(const Field& field) {
  switch (field.kind) {
    case Field::Kind::kInteger: return "UINT";
    case Field::Kind::kReal: return "FLOAT";
    case Field::Kind::kChoice: return '{' + fmt::format("{}", fmt::join(field.choices, ",")) + '}';
    case Field::Kind::kList: return value_name(field.prototype());
    default: return field.is_file ? "FILE" : "TEXT";
  }
}

std::string help_of(const Field& field) {
  const std::string usual = config::value_text(field, field.get());
  return usual.empty() || usual == "0" ? field.doc : fmt::format("{} (default: {})", field.doc, usual);
}

bool is_already_so(const Field& field) {
  return field.kind == Field::Kind::kBool && field.get() == config::Value(true);
}

/// One option, and what it needs.
void add_option(Command& command, const Field& field, const std::string& name, const Field& options) {
  const auto option = [&] {
    if (field.kind == Field::Kind::kBool)
      return command.flag_calls(name, [field] { field.set(true); }, field.doc);
    if (field.kind != Field::Kind::kList)
      return command
          .option_calls<std::string>(
              name, [field, name](const std::string& text) { set(field, name, text); }, help_of(field))
          .shows(value_name(field));
    return command
        .option_calls<std::vector<std::string>>(
            name,
            [field, name](const std::vector<std::string>& texts) {
              const std::vector<Field> entries = field.resize(texts.size());
              for (std::size_t i = 0; i < texts.size(); ++i) set(entries[i], name, texts[i]);
            },
            field.doc)
        .repeats()
        .shows(value_name(field));
  };
  Option added = option();
  if (field.required) added.required();
  for (const std::vector<std::string>& one_of : field.needs) {
    std::vector<std::string> others;
    bool is_met = false;
    for (const std::string& other : one_of) {
      others.push_back(option_name(other));
      is_met = is_met || std::any_of(options.children.begin(), options.children.end(), [&](const Field& one) {
                 return one.name == other && is_already_so(one);
               });
    }
    if (!is_met) added.only_with(others);
  }
}

}  // namespace

void add_described(Command& command, const Field& options, const std::vector<std::string_view>& positional,
                   const std::vector<std::string_view>& hidden) {
  for (const Field& field : options.children)
    if (!has(hidden, field.name) && !is_already_so(field))
      add_option(command, field, name_of(field, has(positional, field.name)), options);
}

namespace {

/// The option of add_output_form(), without its value.
Field output_form() {
  Field field;
  field.kind = Field::Kind::kChoice;
  field.name = "as";
  field.doc = "form of the output";
  field.earlier = {"format"};
  return field;
}

}  // namespace

Option add_output_form(Command& command, std::string& form, const std::vector<std::string>& forms) {
  const Field field = output_form();
  return command.option(name_of(field, false), form, field.doc).one_of(forms);
}

void note_output_form(const std::vector<std::string>& words) {
  Field options;
  options.children = {output_form()};
  note_earlier_names(options, words);
}

void note_earlier_names(const Field& options, const std::vector<std::string>& words) {
  for (const Field& field : options.children)
    for (const std::string& earlier : field.earlier)
      if (std::any_of(words.begin(), words.end(), [&](const std::string& word) {
            return word.substr(0, word.find('=')) == option_name(earlier);
          }))
        config::option_of_name({field}, earlier);
}

}  // namespace spica::cli
