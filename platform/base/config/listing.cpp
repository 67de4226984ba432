// SPDX-License-Identifier: Apache-2.0
#include "platform/base/config/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <sstream>

#include "platform/base/config/node.h"
#include "platform/base/config/value_text.h"
#include "platform/base/json/value.h"

namespace spica::config {
namespace {

const char* kind_name(Field::Kind kind) {
  switch (kind) {
    case Field::Kind::kInteger: return "integer";
    case Field::Kind::kReal: return "number";
    case Field::Kind::kBool: return "bool";
    case Field::Kind::kChoice: return "choice";
    case Field::Kind::kString: return "string";
    case Field::Kind::kGroup: return "group";
    case Field::Kind::kList: return "list";
  }
  return "";
}

const char* better_name(Better better) {
  switch (better) {
    case Better::kNeither: return "neither";
    case Better::kLess: return "less";
    case Better::kMore: return "more";
    case Better::kEither: return "program";
  }
  return "";
}

/// "[64, 128]"
std::string values_text(const Field& list) {
  std::vector<std::string> texts;
  for (const Field& entry : list.children) texts.push_back(value_text(entry, entry.get()));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

void collect(const Field& group, const std::string& path, const std::string& doc,
             std::vector<ParameterInfo>& list) {
  const auto add = [&](const Field& field, std::string allowed, std::string default_value) {
    list.push_back({join(path, field.name),
                    kind_name(field.kind),
                    field.unit,
                    std::move(allowed),
                    std::move(default_value),
                    field.doc,
                    field.source,
                    path,
                    doc,
                    false,
                    {},
                    {}});
    ParameterInfo& info = list.back();
    info.timing = field.timing && field.is_value();
    info.choices = field.choices;
    if (field.kind == Field::Kind::kBool) info.choices = {"true", "false"};
    if (field.kind == Field::Kind::kInteger || field.kind == Field::Kind::kReal) info.range = field.range;
    info.better = field.better;
  };
  for (const Field& field : group.children) {
    if (field.is_value())
      add(field, allowed_text(field), field.required ? "required" : value_text(field, field.get()));
    else if (is_value_list(field))
      add(field, allowed_text(field), field.required ? "required" : values_text(field));
    else if (field.kind == Field::Kind::kList)
      add(field, "a list of groups; entry 0 is " + field.name + "[0]",
          field.children.empty() ? "[]" : fmt::format("{} entries", field.children.size()));
  }
  for (const Field& field : group.children) {
    const std::string field_path = join(path, field.name);
    if (field.kind == Field::Kind::kGroup) collect(field, field_path, field.doc, list);
    if (field.kind == Field::Kind::kList && !is_value_list(field))
      collect(field.prototype(), field_path + "[N]", field.doc, list);
  }
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// A path with the numbers of entries as the list writes them: "units.0.dim" and "units[0].dim" are "units[n].dim".
std::string listed_entry(const std::string& word) {
  if (word.find_first_of(".[") == std::string::npos) return word;
  const auto keys = split_path(word);
  if (!keys || entry_number(keys->front())) return word;
  std::string text;
  for (const std::string& key : *keys) {
    if (!text.empty() && entry_number(key)) text += "[n]";
    else text = join(text, key);
  }
  return text;
}

/// Text for a cell of a Markdown table.
std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '*') result += '\\';
    result += c;
  }
  return result;
}

}  // namespace

std::vector<ParameterInfo> list_fields(const Field& root) {
  std::vector<ParameterInfo> list;
  collect(root, "", root.doc, list);
  return list;
}

std::vector<ParameterInfo> find(const std::vector<ParameterInfo>& parameters, std::string_view filter) {
  std::vector<std::string> words;
  std::istringstream stream(lower(filter));
  for (std::string word; stream >> word;) words.push_back(listed_entry(word));
  std::vector<ParameterInfo> found;
  for (const ParameterInfo& p : parameters) {
    const std::string text = lower(fmt::format("{}\n{}\n{}\n{}\n{}", p.key, p.unit,
                                               p.kind == "choice" ? p.allowed : "", p.doc, p.source));
    const bool all = std::all_of(words.begin(), words.end(), [&](const std::string& word) {
      return text.find(word) != std::string::npos;
    });
    if (all) found.push_back(p);
  }
  return found;
}

void write_text(std::ostream& os, const std::vector<ParameterInfo>& parameters) {
  std::size_t key = 3, value = 7, allowed = 7;
  for (const ParameterInfo& p : parameters) {
    key = std::max(key, p.key.size());
    value = std::max(value, p.default_value.size());
    allowed = std::max(allowed, p.allowed.size());
  }
  // Only machines have a programming model.
  const bool influences =
      std::any_of(parameters.begin(), parameters.end(), [](const ParameterInfo& p) { return !p.timing; });
  const auto row = [&](std::string_view k, std::string_view v, std::string_view a, std::string_view influence,
                       std::string_view meaning) {
    os << fmt::format("{:<{}}  {:<{}}  {:<{}}  ", k, key, v, value, a, allowed);
    if (influences) os << fmt::format("{:<10}  ", influence);
    os << meaning << '\n';
  };
  row("KEY", "DEFAULT", "ALLOWED", "INFLUENCES", "MEANING [SOURCE]");
  const std::string* group = nullptr;
  for (const ParameterInfo& p : parameters) {
    if (group != nullptr && *group != p.group)
      os << '\n' << p.group << (p.group_doc.empty() ? "" : ": ") << p.group_doc << '\n';
    group = &p.group;
    row(p.key, p.default_value, p.allowed, p.timing ? "time" : "programs",
        p.source.empty() ? p.doc : p.doc + " [" + p.source + "]");
  }
}

void write_json(std::ostream& os, const std::vector<ParameterInfo>& parameters) {
  json::Value list = json::Value::array();
  for (const ParameterInfo& p : parameters) {
    json::Value entry;
    entry = {{"key", p.key},
             {"kind", p.kind},
             {"unit", p.unit},
             {"allowed", p.allowed},
             {"default", p.default_value},
             {"meaning", p.doc},
             {"source", p.source},
             {"timing", p.timing}};
    if (p.range) {
      entry["min"] = p.range->min;
      entry["max"] = p.range->max;
      entry["power_of_two"] = p.range->shape == base::kPow2;
      entry["better"] = better_name(p.better);
    }
    if (!p.choices.empty()) entry["choices"] = p.choices;
    list.push_back(std::move(entry));
  }
  os << list.dump(2) << '\n';
}

void write_markdown(std::ostream& os, const std::vector<ParameterInfo>& parameters) {
  const std::string* group = nullptr;
  for (const ParameterInfo& p : parameters) {
    if (group == nullptr || *group != p.group) {
      if (group != nullptr) os << '\n';
      if (!p.group.empty()) os << "## `" << p.group << "`\n\n";
      if (!p.group_doc.empty()) os << cell(p.group_doc) << "\n\n";
      os << "| key | unit | default | allowed | meaning | source |\n|---|---|---|---|---|---|\n";
      group = &p.group;
    }
    const std::string value = p.default_value.empty() ? "" : fmt::format("`{}`", p.default_value);
    os << fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", p.key, cell(p.unit), value, cell(p.allowed),
                      cell(p.doc), cell(p.source));
  }
}

}  // namespace spica::config
