// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/statistics.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "platform/base/input/printable.h"

namespace spica::report {

namespace {

using Json = json::Value;

void add_entry(Json& node, const std::string& block, std::string_view called, Json entry) {
  const std::string name(called);
  if (node.contains(name)) throw std::logic_error("two statistics are called " + block + "." + name);
  node[name] = std::move(entry);
}

Json reasons_json(const base::CycleAccount& account, const std::vector<std::uint64_t>& cycles) {
  Json reasons = Json::object();
  for (std::size_t i = 0; i < account.size(); ++i) reasons[std::string(account.reason(i))] = cycles[i];
  return reasons;
}

Json account_json(const base::CycleAccount& account, const base::StatWindow* region) {
  std::vector<std::uint64_t> cycles(account.size());
  for (std::size_t i = 0; i < account.size(); ++i) cycles[i] = account.cycles(i);
  Json json{{"total", account.total()},
            {"unit", base::unit_name(base::Unit::kCycles)},
            {"description", account.description()},
            {"reasons", reasons_json(account, cycles)}};
  if (region != nullptr) json["in_region"] = reasons_json(account, region->cycles(account));
  return json;
}

Json counter_json(const base::StatGroup::Entry& entry, const base::StatWindow* region) {
  Json json{{"value", entry.counter.value()},
            {"unit", base::unit_name(entry.unit)},
            {"description", entry.description}};
  if (region != nullptr) json["in_region"] = region->value(entry.counter);
  return json;
}

/// Calls `visit` with each key (of an array: nullptr) and value.
template <class Visit>
void for_each(const Json& value, Visit&& visit) {
  if (value.is_object())
    for (const auto& [key, inner] : value.items()) visit(&key, inner);
  else
    for (const Json& inner : value) visit(nullptr, inner);
}

bool is_flat(const Json& value) {
  bool flat = true;
  for_each(value, [&](const std::string*, const Json& inner) { flat = flat && !inner.is_structured(); });
  return flat;
}

/// One line, with blanks after colons and commas.
std::string flat_text(const Json& value) {
  if (!value.is_structured()) return value.dump();
  std::string text;
  for_each(value, [&](const std::string* key, const Json& inner) {
    if (!text.empty()) text += ", ";
    if (key != nullptr) text += Json(*key).dump() + ": ";
    text += flat_text(inner);
  });
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

void write(const Json& value, std::size_t indent, std::string& text) {
  if (!value.is_structured() || is_flat(value)) {
    text += flat_text(value);
    return;
  }
  const bool object = value.is_object();
  const std::string blanks(indent + 2, ' ');
  text += object ? "{\n" : "[\n";
  std::size_t left = value.size();
  for_each(value, [&](const std::string* key, const Json& inner) {
    text += blanks;
    if (object) text += Json(*key).dump() + ": ";
    write(inner, indent + 2, text);
    text += --left == 0 ? "\n" : ",\n";
  });
  text += std::string(indent, ' ') + (object ? "}" : "]");
}

}  // namespace

Json statistics_json(const std::vector<NamedStats>& groups, const base::StatWindow* region) {
  Json tree = Json::object();
  for (const NamedStats& named : groups) {
    Json* node = &tree;
    for (std::size_t start = 0; start <= named.name.size();) {
      const std::size_t end = std::min(named.name.find('.', start), named.name.size());
      node = &(*node)[named.name.substr(start, end - start)];
      if (node->contains("unit"))
        throw std::logic_error("a block has the name of a statistic: " + named.name);
      start = end + 1;
    }
    if (node->is_null()) *node = Json::object();
    for (const base::StatGroup::Entry& entry : named.group->counters())
      add_entry(*node, named.name, entry.name, counter_json(entry, region));
    for (const base::CycleAccount& account : named.group->accounts())
      add_entry(*node, named.name, account.name(), account_json(account, region));
  }
  return tree;
}

Json printable_json(Json document) {
  if (document.is_string()) return input::printable_lines(document.get<std::string>());
  if (document.is_array())
    for (Json& inner : document) inner = printable_json(std::move(inner));
  if (!document.is_object()) return document;
  Json result = Json::object();
  for (auto&& [key, inner] : document.items())
    result[input::printable_lines(key)] = printable_json(std::move(inner));
  return result;
}

std::string json_text(const Json& value) {
  std::string text;
  write(printable_json(value), 0, text);
  return text + '\n';
}

}  // namespace spica::report
