// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/area/area_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "platform/base/input/printable.h"
#include "platform/observe/report/text_table.h"

namespace spica::area {

namespace {

using Align = report::TextTable::Align;

std::string number(double value) { return fmt::format("{:#.3g}", value); }

std::string share(const power::Interval& part, const power::Interval& whole) {
  return whole.nominal > 0 ? fmt::format("{:.1f} %", 100 * part.nominal / whole.nominal) : "";
}

/// "register_file 42 %, dispatch 30 %": the two parts that make up most of it.
std::string most_of(const UnitArea& unit) {
  std::map<std::string, double> by_name;
  for (const Part& part : unit.parts) by_name[part.name] += part.mm2.nominal;
  std::vector<std::pair<double, std::string>> sorted;
  for (const auto& [name, mm2] : by_name) sorted.emplace_back(-mm2, name);
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(2, sorted.size()); ++i)
    text += fmt::format("{}{} {:.0f} %", i == 0 ? "" : ", ", sorted[i].second,
                        unit.mm2.nominal > 0 ? -100 * sorted[i].first / unit.mm2.nominal : 0);
  return text;
}

void add_parts(report::TextTable& table, const UnitArea& unit, const power::Interval& whole) {
  for (const Part& part : unit.parts)
    table.add({"  " + part.name, fmt::format("{:.0f}", part.amount), number(part.mm2.low),
               number(part.mm2.nominal), number(part.mm2.high), share(part.mm2, whole),
               std::string(base::kStructures[base::index_of(part.structure)].name)});
}

}  // namespace

std::string area_phrase(const power::Interval& mm2) {
  return fmt::format("{} mm2 ({} ... {})", number(mm2.nominal), number(mm2.low), number(mm2.high));
}

std::string area_text(const AreaReport& report, bool parts) {
  report::TextTable table({{"unit"},
                           {parts ? "blocks, amount" : "blocks", Align::kRight},
                           {"low mm2", Align::kRight},
                           {"nominal", Align::kRight},
                           {"high", Align::kRight},
                           {"share", Align::kRight},
                           {parts ? "structure" : "most of it"}});
  for (const UnitArea& unit : report.units()) {
    table.add({unit.name, std::to_string(unit.blocks), number(unit.mm2.low), number(unit.mm2.nominal),
               number(unit.mm2.high), share(unit.mm2, report.mm2), parts ? "" : most_of(unit)});
    if (parts) add_parts(table, unit, report.mm2);
  }
  table.add({"all", "", number(report.mm2.low), number(report.mm2.nominal), number(report.mm2.high),
             share(report.mm2, report.mm2), ""});
  std::string text = table.text();
  if (!report.unknown.empty()) {
    text += "\nnothing is known of:";
    for (const std::string& name : report.unknown) text += " " + input::printable(name);
    text += "\n";
  }
  return text;
}

std::string table_text(const power::AreaTable& table, double technology_nm) {
  report::TextTable text({{"structure"},
                          {"low um2", Align::kRight},
                          {"nominal", Align::kRight},
                          {"high", Align::kRight},
                          {"doubtful"},
                          {"what"},
                          {"source"}});
  for (std::size_t i = 0; i < base::kStructures.size(); ++i) {
    const auto which = static_cast<base::Structure>(i);
    const power::Interval each = table.square_micrometres(which, technology_nm);
    text.add({std::string(base::kStructures[i].name), fmt::format("{:.4g}", each.low),
              fmt::format("{:.4g}", each.nominal), fmt::format("{:.4g}", each.high),
              table.structure(which).doubtful ? "yes" : "", std::string(base::kStructures[i].doc),
              input::printable(table.structure(which).source)});
  }
  return text.text();
}

}  // namespace spica::area
