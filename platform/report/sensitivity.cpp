// SPDX-License-Identifier: Apache-2.0
#include "platform/report/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

namespace spica::report {

using json::Value;

namespace {

/// What is assumed of an entry without a range.
constexpr double kUnstated = 0.3;

/// The values of an entry, or the uJ of a run that it is responsible for with each of them.
struct Values {
  double low = 0, nominal = 0, high = 0;
};
struct Entry {
  std::string name;
  bool doubtful = false, calibrated = false, stated = true;
  std::string unit;
  Values value, run, base;
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
  return {number(*interval, "low") * factor, number(*interval, "nominal") * factor,
          number(*interval, "high") * factor};
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
  /// The last one is the calibrated entries together.
  std::vector<Entry> all() const {
    std::vector<Entry> result;
    Entry together;
    together.name = "calibration.instruction_overhead";
    together.value.nominal = overhead_;
    for (const auto& [name, entry] : entries_) {
      result.push_back(entry);
      if (!entry.calibrated) continue;
      together.run.nominal += entry.run.nominal;
      together.base.nominal += entry.base.nominal;
    }
    for (Values* side : {&together.value, &together.run, &together.base})
      side->low = side->high = side->nominal;
    result.push_back(together);
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

/// A range for an entry that has none.
void state(Entry& entry) {
  if (entry.value.low != entry.value.high) return;
  entry.stated = false;
  for (Values* values : {&entry.value, &entry.run, &entry.base}) {
    values->low *= 1 - kUnstated;
    values->high *= 1 + kUnstated;
  }
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
  std::vector<Entry> all = entries.all();
  double sum = 0, base_sum = 0;
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {  // the last one is a sum of others
    sum += all[i].run.nominal;
    base_sum += all[i].base.nominal;
  }
  if (sum <= 0 || base_sum <= 0) return std::nullopt;
  Sensitivity result;
  result.ratio = sum / base_sum;
  for (Entry& entry : all) {
    state(entry);
    const auto ratio = [&](double run_share, double base_share) {
      return (sum - entry.run.nominal + run_share) / (base_sum - entry.base.nominal + base_share);
    };
    const Values ends{ratio(entry.run.low, entry.base.low), 0, ratio(entry.run.high, entry.base.high)};
    Influence influence{entry.name,          entry.doubtful,   entry.stated, entry.unit, entry.value.low,
                        entry.value.nominal, entry.value.high, ends.low,     ends.high};
    if (std::isfinite(influence.swing()) && influence.swing() > 1e-12 * result.ratio)
      result.influences.push_back(std::move(influence));
  }
  std::stable_sort(result.influences.begin(), result.influences.end(),
                   [](const Influence& a, const Influence& b) { return a.swing() > b.swing(); });
  return result;
}

Value sensitivity_json(const Sensitivity& found) {
  Value rows = Value::array();
  for (const Influence& one : found.influences)
    rows.push_back({{"coefficient", one.coefficient},
                    {"unit", one.unit},
                    {"low", one.low},
                    {"nominal", one.nominal},
                    {"high", one.high},
                    {"range", one.stated ? "table" : "30 %"},
                    {"doubtful", one.doubtful},
                    {"ratio", found.ratio},
                    {"ratio_at_low", one.ratio_at_low},
                    {"ratio_at_high", one.ratio_at_high},
                    {"swing", one.swing()}});
  return rows;
}

}  // namespace spica::report
