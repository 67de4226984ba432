// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/statistics.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <deque>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "platform/base/input/printable.h"

namespace spica::report {

namespace {

using Json = json::Value;

using Object = Json::object_t;

struct Member {
  std::string_view key;
  Json value;
};

/// The initializer lists of the library would create each member as an array first.
template <std::size_t n>
Object object_of(Member (&&members)[n]) {
  Object object;
  object.reserve(n + 1);
  for (Member& one : members) object.emplace_back(std::string(one.key), std::move(one.value));
  return object;
}

/// Accounts of one name, which follow each other.
struct AccountSet {
  std::deque<base::CycleAccount>::const_iterator first, last;
};
std::vector<AccountSet> account_sets(const base::StatGroup& group) {
  std::vector<AccountSet> sets;
  const auto& accounts = group.accounts();
  for (auto account = accounts.begin(); account != accounts.end(); ++account)
    if (!sets.empty() && sets.back().first->name() == account->name()) sets.back().last = account + 1;
    else sets.push_back({account, account + 1});
  return sets;
}

void add_entry(Object& node, const std::string& block, std::string_view name, Json entry) {
  if (!node.emplace(std::string(name), std::move(entry)).second)
    throw std::logic_error("two statistics are called " + block + "." + std::string(name));
}

Json reasons_json(const base::CycleAccount& account, const std::vector<std::uint64_t>& cycles) {
  Object reasons;
  reasons.reserve(account.size());
  for (std::size_t i = 0; i < account.size(); ++i)
    reasons.emplace(std::string(account.reason(i)), Json(cycles[i]));
  return reasons;
}

Json account_json(const base::CycleAccount& account, const base::StatWindow* region) {
  std::vector<std::uint64_t> cycles(account.size());
  for (std::size_t i = 0; i < account.size(); ++i) cycles[i] = account.cycles(i);
  Object json = object_of({{"total", account.total()},
                           {"unit", base::unit_name(base::Unit::kCycles)},
                           {"description", account.description()},
                           {"reasons", reasons_json(account, cycles)}});
  if (region != nullptr) json.emplace_back("in_region", reasons_json(account, region->cycles(account)));
  return json;
}

/// The values of each reason as an array, in the order of the accounts.
template <class Cycles>
Object reasons_of_set(const AccountSet& set, Cycles&& cycles) {
  std::vector<Json::array_t> values(set.first->size());
  for (auto account = set.first; account != set.last; ++account) {
    const std::vector<std::uint64_t> of = cycles(*account);
    for (std::size_t i = 0; i < of.size(); ++i) values[i].emplace_back(of[i]);
  }
  Object reasons;
  reasons.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    reasons.emplace_back(std::string(set.first->reason(i)), std::move(values[i]));
  return reasons;
}

Json set_json(const AccountSet& set, const base::StatWindow* region) {
  const base::CycleAccount& first = *set.first;
  const auto whole = [](const base::CycleAccount& account) {
    std::vector<std::uint64_t> cycles(account.size());
    for (std::size_t i = 0; i < account.size(); ++i) cycles[i] = account.cycles(i);
    return cycles;
  };
  Object json = object_of({{"unit", base::unit_name(base::Unit::kCycles)},
                           {"description", first.description()},
                           {"reasons", reasons_of_set(set, whole)}});
  if (region != nullptr)
    json.emplace_back("in_region", reasons_of_set(set, [region](const base::CycleAccount& account) {
                        return region->cycles(account);
                      }));
  return json;
}

Json counter_json(const base::StatGroup::Entry& entry, const base::StatWindow* region) {
  Object json = object_of({{"value", entry.counter.value()},
                           {"unit", base::unit_name(entry.unit)},
                           {"description", entry.description}});
  if (region != nullptr) json.emplace_back("in_region", region->value(entry.counter));
  return json;
}

/// Calls `visit` with each key (of an array: nullptr) and value.
template <class Visit>
void for_each(const Json& value, Visit&& visit) {
  if (value.is_object())
    for (const auto& [key, inner] : value.get_ref<const Object&>()) visit(&key, inner);
  else
    for (const Json& inner : value) visit(nullptr, inner);
}

bool is_flat(const Json& value) {
  return std::none_of(value.begin(), value.end(), [](const Json& inner) { return inner.is_structured(); });
}

/// As text of JSON; true if printable_lines() changed it.
bool write_string(const std::string& value, std::string& text) {
  const bool plain = std::all_of(value.begin(), value.end(),
                                 [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
  if (!plain) {
    std::string shown = input::printable_lines(value);
    const bool changed = shown != value;
    text += Json(std::move(shown)).dump();
    return changed;
  }
  text += '"';
  text += value;
  text += '"';
  return false;
}

template <class Number>
void write_integer(Number value, std::string& text) {
  char digits[24];
  text.append(digits, std::to_chars(digits, std::end(digits), value).ptr);
}

/// Equal to dump(), which prepares a printer for each value.
void write_primitive(const Json& value, std::string& text) {
  switch (value.type()) {
    case Json::value_t::string: write_string(value.get_ref<const std::string&>(), text); break;
    case Json::value_t::number_unsigned: write_integer(value.get<std::uint64_t>(), text); break;
    case Json::value_t::number_integer: write_integer(value.get<std::int64_t>(), text); break;
    default: text += value.dump();
  }
}

/// True if printable_lines() changed a key: two may be the same now.
bool write(const Json& value, std::size_t indent, std::string& text) {
  if (!value.is_structured()) {
    write_primitive(value, text);
    return false;
  }
  const bool object = value.is_object(), flat = is_flat(value);
  bool first = true, changed = false;
  text += object ? '{' : '[';
  for_each(value, [&](const std::string* key, const Json& inner) {
    if (!first) text += flat ? ", " : ",";
    first = false;
    if (!flat) text.append(1, '\n').append(indent + 2, ' ');
    if (key != nullptr) {
      changed = write_string(*key, text) || changed;
      text += ": ";
    }
    changed = write(inner, indent + 2, text) || changed;
  });
  if (!flat) text.append(1, '\n').append(indent, ' ');
  text += object ? '}' : ']';
  return changed;
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
    Object& entries = node->get_ref<Object&>();
    entries.reserve(entries.size() + named.group->counters().size() + named.group->accounts().size());
    for (const base::StatGroup::Entry& entry : named.group->counters())
      add_entry(entries, named.name, entry.name, counter_json(entry, region));
    for (const AccountSet& set : account_sets(*named.group))
      add_entry(entries, named.name, set.first->name(),
                set.last - set.first == 1 ? account_json(*set.first, region) : set_json(set, region));
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
  if (write(value, 0, text)) {
    text.clear();
    write(printable_json(value), 0, text);
  }
  return text + '\n';
}

}  // namespace spica::report
