// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/experiment/energy_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "platform/base/input/file.h"
#include "platform/base/input/printable.h"
#include "platform/base/json/value.h"
#include "platform/observe/report/csv.h"
#include "platform/observe/report/statistics.h"
#include "platform/observe/report/terminal.h"
#include "platform/studies/experiment/sensitivity_tables.h"

namespace spica::experiment {

namespace {

std::string number(double value) { return fmt::format("{:.1f}", value); }

/// "-66.3 %"
std::string change(double ratio) { return fmt::format("{:+.1f} %", 100 * (ratio - 1)); }

void print_cells(const std::vector<CellResult>& results) {
  report::TextTable table({{"design"},
                           {"size"},
                           {"cycles", report::TextTable::Align::kRight},
                           {"utilisation", report::TextTable::Align::kRight},
                           {"instructions", report::TextTable::Align::kRight},
                           {"RF accesses", report::TextTable::Align::kRight},
                           {"mW", report::TextTable::Align::kRight},
                           {"uJ", report::TextTable::Align::kRight},
                           {"low ... high", report::TextTable::Align::kRight},
                           {"core", report::TextTable::Align::kRight},
                           {"(issue)", report::TextTable::Align::kRight},
                           {"matrix", report::TextTable::Align::kRight},
                           {"shared mem.", report::TextTable::Align::kRight},
                           {"other", report::TextTable::Align::kRight},
                           {"DRAM", report::TextTable::Align::kRight},
                           {"result"}});
  for (const CellResult& result : results) {
    const EnergyFigures figures = result.energy.value_or(EnergyFigures{});
    table.add({result.cell.design, size_text(result.cell), text::grouped(result.cycles),
               text::percent(result.utilisation), text::grouped(figures.warp_instructions),
               text::grouped(figures.register_file_accesses), number(figures.active_power_mw),
               number(figures.active_energy_uj),
               fmt::format("{:.0f} ... {:.0f}", figures.active_uj.low, figures.active_uj.high),
               number(figures.core_uj), number(figures.core_issue_uj), number(figures.matrix_unit_uj),
               number(figures.shared_memory_uj), number(figures.other_uj), number(figures.dram_uj),
               result.verified() ? "verified" : result.error()});
  }
  fmt::print(
      "{}\nActive energy on the chip between the markers, nominal. Columns from core to other are its parts, "
      "in uJ; issue is part of core.\nA tensor core counts as matrix. The energy of DRAM is not included.\n\n",
      table.text());
}

/// Active, idle and DRAM as one number each.
void print_totals(const std::vector<CellResult>& results) {
  report::TextTable table({{"total"},
                           {"size"},
                           {"mW", report::TextTable::Align::kRight},
                           {"uJ", report::TextTable::Align::kRight},
                           {"pJ per MAC", report::TextTable::Align::kRight},
                           {"uJ us", report::TextTable::Align::kRight}});
  for (const CellResult& result : results) {
    if (!result.energy) continue;
    const EnergyFigures& figures = *result.energy;
    table.add({result.cell.design, size_text(result.cell), number(figures.total_power_mw),
               number(figures.total_energy_uj), figures.pj_per_mac ? number(*figures.pj_per_mac) : "",
               number(figures.edp_uj_us)});
  }
  fmt::print("{}\nTotal: active and idle energy of the chip, and DRAM, between the markers, nominal.\n\n",
             table.text());
}

/// What the energies of the runs are, as the runs say; how many of them, unless it is all.
void print_notes(const std::vector<CellResult>& results) {
  std::vector<std::pair<std::string, std::size_t>> notes;
  std::size_t measured = 0;
  for (const CellResult& result : results) {
    if (!result.energy) continue;
    ++measured;
    for (const std::string& note : result.energy->notes) {
      const auto known =
          std::find_if(notes.begin(), notes.end(), [&note](const auto& one) { return one.first == note; });
      if (known == notes.end()) notes.emplace_back(note, 1);
      else ++known->second;
    }
  }
  for (const auto& [note, runs] : notes)
    fmt::print("Note{}: {}\n", runs == measured ? "" : fmt::format(" of {} of {} runs", runs, measured),
               input::printable(note));
  if (!notes.empty()) fmt::print("\n");
}

/// Products, and attention, that were asked for in a number format: what it costs and how far they are off.
void print_formats(const std::vector<CellResult>& results) {
  using Align = report::TextTable::Align;
  report::TextTable table({{"design"},
                           {"format"},
                           {"accumulate"},
                           {"size"},
                           {"cycles", Align::kRight},
                           {"utilisation", Align::kRight},
                           {"pJ per MAC", Align::kRight},
                           {"max error", Align::kRight},
                           {"rms error", Align::kRight}});
  bool some = false;
  for (const CellResult& result : results) {
    const json::Value& columns = result.columns;
    if (!result.energy || !columns.contains("rms_error")) continue;
    some = true;
    const auto& pj_per_mac = result.energy->pj_per_mac;
    std::string format = columns.at(columns.contains("format") ? "format" : "element").get<std::string>();
    for (const auto& [name, matrix] : {std::pair{"a_format", "A"}, {"b_format", "B"}})  // in memory
      if (columns.contains(name))
        format += fmt::format(", {} {}", matrix, columns.at(name).get<std::string>());
    table.add({result.cell.design, format, columns.at("accumulate").get<std::string>(), result.cell.size,
               text::grouped(result.cycles), text::percent(result.utilisation),
               pj_per_mac ? fmt::format("{:.2f}", *pj_per_mac) : "",
               fmt::format("{:.3g}", columns.at("max_error").get<double>()),
               fmt::format("{:.3g}", columns.at("rms_error").get<double>())});
  }
  if (!some) return;
  fmt::print(
      "{}\nErrors are those of elements of the result against double precision, of operands before they were rounded.\n\n",
      table.text());
}

/// One row per quantity, one column per pair of designs and size.
void print_ratios(const std::vector<EnergyRatio>& ratios) {
  std::vector<std::string> columns, quantities;
  const auto note = [](std::vector<std::string>& known, const std::string& name) {
    if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  };
  const auto column_of = [](const EnergyRatio& one) {
    return fmt::format("{} / {} {}", one.design, one.reference, one.size);
  };
  for (const EnergyRatio& one : ratios) {
    note(columns, column_of(one));
    note(quantities, one.quantity);
  }
  std::vector<report::TextTable::Column> titles{{"change"}};
  for (const std::string& column : columns) titles.push_back({column, report::TextTable::Align::kRight});
  report::TextTable table(titles);
  for (const std::string& quantity : quantities) {
    std::vector<std::string> nominal{quantity}, ends{"  all low ... all high"};
    bool has_ends = false;
    for (const std::string& column : columns)
      for (const EnergyRatio& one : ratios) {
        if (one.quantity != quantity || column_of(one) != column) continue;
        nominal.push_back(change(one.ratio));
        has_ends = has_ends || one.all_low;
        ends.push_back(one.all_low && one.all_high
                           ? fmt::format("{} ... {}", change(*one.all_low), change(*one.all_high))
                           : "");
      }
    table.add(nominal);
    if (has_ends) table.add(ends);
  }
  fmt::print("{}", table.text());
}

json::Value row(const CellResult& result) {
  json::Value row;
  row["design"] = result.cell.design;
  row["size"] = result.cell.size;
  row["cycles"] = result.cycles;
  row["utilisation"] = result.utilisation;
  row["warp_instructions"] = result.warp_instructions;
  row["register_file_accesses"] = result.register_file_accesses;
  if (result.energy) {
    const EnergyFigures& figures = *result.energy;
    row["active_power_mw"] = figures.active_power_mw;
    row["active_energy_uj"] = figures.active_energy_uj;
    row["active_energy_uj_low"] = figures.active_uj.low;
    row["active_energy_uj_high"] = figures.active_uj.high;
    row["core_uj"] = figures.core_uj;
    row["core_issue_uj"] = figures.core_issue_uj;
    row["matrix_unit_uj"] = figures.matrix_unit_uj;
    row["shared_memory_uj"] = figures.shared_memory_uj;
    row["other_uj"] = figures.other_uj;
    row["dram_uj"] = figures.dram_uj;
    row["total_power_mw"] = figures.total_power_mw;
    row["total_energy_uj"] = figures.total_energy_uj;
    row["pj_per_mac"] = figures.pj_per_mac ? json::Value(*figures.pj_per_mac) : json::Value();
    row["edp_uj_us"] = figures.edp_uj_us;
    row["energy_notes"] = fmt::format("{}", fmt::join(figures.notes, "; "));
  }
  row["verified"] = result.verified();
  row.update(result.columns);
  if (!result.error().empty()) row["error"] = result.error();
  return row;
}

/// Numbers as they are, text in quotes with quotes doubled.
std::string csv_cell(const json::Value& value) {
  if (value.is_null()) return "";
  if (!value.is_string()) return value.dump();
  return report::csv_quoted(value.get<std::string>());
}

/// The columns of all rows, by the first that has them.
std::string csv(const json::Value& rows) {
  std::vector<std::string> columns;
  for (const auto& row : rows)
    for (const auto& [key, value] : row.items())
      if (std::find(columns.begin(), columns.end(), key) == columns.end()) columns.push_back(key);
  std::string text = fmt::format("{}\n", fmt::join(columns, ","));
  for (const auto& row : rows) {
    std::vector<std::string> cells;
    for (const std::string& column : columns)
      cells.push_back(row.contains(column) ? csv_cell(row[column]) : "");
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

json::Value ratio_rows(const std::vector<EnergyRatio>& ratios) {
  auto rows = json::Value::array();
  for (const EnergyRatio& one : ratios) {
    json::Value ratio_row{{"quantity", one.quantity},
                          {"size", one.size},
                          {"design", one.design},
                          {"reference", one.reference},
                          {"ratio", one.ratio}};
    if (one.all_low) ratio_row["all_low"] = *one.all_low;
    if (one.all_high) ratio_row["all_high"] = *one.all_high;
    rows.push_back(std::move(ratio_row));
  }
  return rows;
}

}  // namespace

void report_energy(const std::vector<CellResult>& results, const Experiment& experiment,
                   const std::string& out, job::HostErrors& host_errors) {
  const auto write = [&](const std::string& name, const std::string& text) {
    host_errors.attempt([&] { input::write_text(out + "/" + name, text); });
  };
  const auto write_rows = [&](const std::string& name, const json::Value& rows) {
    write(name + ".csv", csv(rows));
    write(name + ".json", report::printable_json(rows).dump(2) + "\n");
  };
  const std::vector<EnergyRatio> ratios = energy_ratios(results, experiment.comparisons());
  const std::vector<EnergySensitivity> sensitivities =
      energy_sensitivities(results, experiment.comparisons());
  auto rows = json::Value::array();
  for (const CellResult& result : results) rows.push_back(row(result));
  write_rows(experiment.sweep().sensitivity ? "cells" : "results", rows);
  const json::Value influences = sensitivity_rows(sensitivities);
  if (experiment.sweep().sensitivity) write_rows("results", influences);
  else if (!experiment.comparisons().empty()) write("sensitivity.json", influences.dump(2) + "\n");
  write("ratios.json", ratio_rows(ratios).dump(2) + "\n");
  print_cells(results);
  print_totals(results);
  print_notes(results);
  print_formats(results);
  print_ratios(ratios);
  if (!experiment.sweep().sensitivity) return;
  fmt::print("\n");
  print_sensitivities(sensitivities);
}

}  // namespace spica::experiment
