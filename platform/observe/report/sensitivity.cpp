// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "models/power/interval.h"

namespace spica::report {

using json::Value;

namespace {

/// What is assumed of an entry without a range.
constexpr double kUnstated = 0.3;

/// The values of an entry, or the uJ of a run that it is responsible for with each of them.
using Values = power::Interval;

/// An entry of the table, or several that move together.
struct Entry {
  std::string name, prior, unit;
  bool doubtful = false, calibrated = false, stated = true;
  unsigned entries = 0;
  Values value, run, base;

  void add(const Entry& one) {
    ++entries;
    doubtful = doubtful || one.doubtful;
    stated = stated && one.stated;
    run += one.run;
    base += one.base;
  }
};

const Value* member(const Value& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}
double number(const Value& object, const char* key) {
  const Value* value = member(object, key);
  return value != nullptr && value->is_number() ? value->get<double>() : 0;
}
bool flag(const Value& object, const char* key) {
  const Value* value = member(object, key);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}
std::string text(const Value& object, const char* key) {
  const Value* value = member(object, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : "";
}

Values values(const Value& object, const char* key, double factor) {
  const Value* interval = member(object, key);
  if (interval == nullptr) return {};
  return Values{number(*interval, "low"), number(*interval, "nominal"), number(*interval, "high")} * factor;
}

/// Entries by name, those of both runs.
class Entries {
 public:
  void add(const Value& document, EnergyKind kind, Values Entry::* side) {
    const double seconds = number(*member(document, "window"), "seconds");
    for (const Value& event : *member(document, "events"))
      if (kind == EnergyKind::kTotal || !flag(event, "off_chip"))
        note(text(event, "event"), event, "pJ", values(event, "per_event_pj", 1)).*side =
            values(event, "active_uj", 1);
    overhead_ = number(*member(document, "table"), "instruction_overhead");
    if (kind != EnergyKind::kTotal) return;
    for (const Value& idle : *member(document, "idle"))
      note("idle." + text(idle, "block") + "." + text(idle, "term"), idle, "mW",
           values(idle, "mw", 1 / std::max(1.0, number(idle, "blocks")))).*
          side = values(idle, "mw", 1e3 * seconds);
  }
  /// One by one.
  std::vector<Entry> single() const {
    std::vector<Entry> result;
    for (const auto& [name, entry] : entries_) result.push_back(with_range(entry));
    return result;
  }
  /// Those that move together: of one prior, and the calibrated ones.
  std::vector<Entry> together() const {
    std::map<std::string, Entry> groups;
    for (const Entry& entry : single())
      if (!entry.prior.empty() && entry.run.high + entry.base.high > 0)
        groups["prior." + entry.prior].add(entry);
    Entry overhead;
    for (const auto& [name, entry] : entries_)
      if (entry.calibrated) overhead.add(entry);
    overhead.value.nominal = overhead_;
    for (Values* side : {&overhead.value, &overhead.run, &overhead.base})
      side->low = side->high = side->nominal;
    groups["calibration.instruction_overhead"] = with_range(overhead);
    std::vector<Entry> result;
    for (auto& [name, group] : groups) {
      group.name = name;
      if (group.entries > 1) result.push_back(group);
    }
    return result;
  }

 private:
  Entry& note(const std::string& name, const Value& from, const char* unit, const Values& value) {
    Entry& entry = entries_[name];
    entry.name = name;
    entry.unit = unit;
    entry.value = value;
    entry.doubtful = flag(from, "doubtful");
    entry.calibrated = flag(from, "calibrated");
    entry.prior = text(from, "prior");
    entry.entries = 1;
    return entry;
  }
  static Entry with_range(Entry entry) {
    if (entry.value.low != entry.value.high) return entry;
    entry.stated = false;
    for (Values* values : {&entry.value, &entry.run, &entry.base}) {
      values->low *= 1 - kUnstated;
      values->high *= 1 + kUnstated;
    }
    return entry;
  }

  std::map<std::string, Entry> entries_;
  double overhead_ = 0;
};

bool is_energy(const Value& document) {
  const auto is_list = [&](const char* key) {
    const Value* list = member(document, key);
    return list != nullptr && list->is_array();
  };
  return member(document, "window") != nullptr && member(document, "table") != nullptr && is_list("events") &&
         is_list("idle");
}

}  // namespace

std::string_view name_of(EnergyKind kind) {
  return kind == EnergyKind::kActive ? "active_energy" : "total_energy";
}

std::optional<Sensitivity> sensitivity(const Value& run, const Value& base, EnergyKind kind) {
  if (!is_energy(run) || !is_energy(base) || *member(run, "table") != *member(base, "table"))
    return std::nullopt;
  Entries entries;
  entries.add(run, kind, &Entry::run);
  entries.add(base, kind, &Entry::base);
  std::vector<Entry> all = entries.single();
  double sum = 0, base_sum = 0;
  for (const Entry& entry : all) {
    sum += entry.run.nominal;
    base_sum += entry.base.nominal;
  }
  if (sum <= 0 || base_sum <= 0) return std::nullopt;
  for (Entry& group : entries.together()) all.push_back(std::move(group));
  Sensitivity result;
  result.ratio = sum / base_sum;
  for (const Entry& entry : all) {
    const auto ratio = [&](double run_share, double base_share) {
      return (sum - entry.run.nominal + run_share) / (base_sum - entry.base.nominal + base_share);
    };
    Influence influence;
    influence.coefficient = entry.name;
    influence.doubtful = entry.doubtful;
    influence.stated = entry.stated;
    influence.entries = entry.entries;
    influence.unit = entry.unit;
    influence.low = entry.value.low;
    influence.nominal = entry.value.nominal;
    influence.high = entry.value.high;
    influence.ratio_at_low = ratio(entry.run.low, entry.base.low);
    influence.ratio_at_high = ratio(entry.run.high, entry.base.high);
    if (std::isfinite(influence.swing()) && influence.swing() > 1e-12 * result.ratio)
      result.influences.push_back(std::move(influence));
  }
  std::stable_sort(result.influences.begin(), result.influences.end(),
                   [](const Influence& a, const Influence& b) { return a.swing() > b.swing(); });
  return result;
}

Value sensitivity_json(const Sensitivity& found) {
  Value rows = Value::array();
  for (const Influence& one : found.influences) {
    const bool has_values = one.high != 0;
    rows.push_back({{"coefficient", one.coefficient},
                    {"entries", one.entries},
                    {"unit", one.unit},
                    {"low", has_values ? Value(one.low) : Value()},
                    {"nominal", has_values ? Value(one.nominal) : Value()},
                    {"high", has_values ? Value(one.high) : Value()},
                    {"range", one.stated ? "table" : "30 %"},
                    {"doubtful", one.doubtful},
                    {"ratio", found.ratio},
                    {"ratio_at_low", one.ratio_at_low},
                    {"ratio_at_high", one.ratio_at_high},
                    {"swing", one.swing()}});
  }
  return rows;
}

}  // namespace spica::report
