// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/experiment/sensitivity_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "platform/observe/report/terminal.h"

namespace spica::experiment {

namespace {

constexpr std::size_t kShown = 12;

std::string_view words(report::EnergyKind kind) {
  return kind == report::EnergyKind::kActive ? "active energy" : "total energy";
}

/// Several entries have no value in common.
std::string value(const report::Influence& influence, double number) {
  return influence.high == 0 ? "" : fmt::format("{:.3g}", number);
}

}  // namespace

void print_sensitivities(const std::vector<EnergySensitivity>& sensitivities) {
  using Align = report::TextTable::Align;
  for (const EnergySensitivity& one : sensitivities) {
    fmt::print("{} / {} at {}: ratio of {} {:.3f}\n\n", one.design, one.reference, one.size, words(one.kind),
               one.found.ratio);
    report::TextTable table({{"entry of the energy table"},
                             {"low", Align::kRight},
                             {"nominal", Align::kRight},
                             {"high", Align::kRight},
                             {"unit"},
                             {"ratio at low", Align::kRight},
                             {"at high", Align::kRight},
                             {"moves the ratio by", Align::kRight},
                             {"range"}});
    const auto& influences = one.found.influences;
    for (std::size_t i = 0; i < std::min(kShown, influences.size()); ++i)
      table.add({influences[i].coefficient, value(influences[i], influences[i].low),
                 influences[i].high == 0 ? fmt::format("{} entries", influences[i].entries)
                                         : value(influences[i], influences[i].nominal),
                 value(influences[i], influences[i].high), influences[i].unit,
                 fmt::format("{:.3f}", influences[i].ratio_at_low),
                 fmt::format("{:.3f}", influences[i].ratio_at_high),
                 fmt::format("{:.3f}", influences[i].swing()),
                 !influences[i].stated    ? "30 % either way"
                 : influences[i].doubtful ? "of the table, doubtful"
                                          : "of the table"});
    fmt::print("{}\n", table.text());
    if (influences.size() > kShown)
      fmt::print("and {} more that move it by less\n\n", influences.size() - kShown);
  }
}

json::Value sensitivity_rows(const std::vector<EnergySensitivity>& sensitivities) {
  json::Value rows = json::Value::array();
  for (const EnergySensitivity& one : sensitivities)
    for (const json::Value& influence : report::sensitivity_json(one.found)) {
      json::Value row{{"quantity", report::name_of(one.kind)},
                      {"size", one.size},
                      {"design", one.design},
                      {"reference", one.reference}};
      row.update(influence);
      rows.push_back(std::move(row));
    }
  return rows;
}

}  // namespace spica::experiment
