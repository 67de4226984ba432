// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/experiment/tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "platform/base/input/file.h"
#include "platform/base/input/printable.h"
#include "platform/base/json/value.h"
#include "platform/base/text/number_format.h"
#include "platform/observe/report/csv.h"
#include "platform/observe/report/html_report.h"
#include "platform/observe/report/statistics.h"
#include "platform/observe/report/terminal.h"
#include "platform/run/host_errors.h"
#include "platform/studies/experiment/calculated.h"
#include "platform/studies/experiment/energy_tables.h"
#include "platform/studies/experiment/gpu_tables.h"
#include "platform/workloads/timed_region.h"

namespace spica::experiment {

namespace {

std::string deviation(std::uint64_t cycles, const std::optional<workloads::Published>& published) {
  if (!published) return "";
  const auto reference = static_cast<double>(published->cycles);
  return fmt::format("{:+.1f} %", 100 * (static_cast<double>(cycles) / reference - 1));
}

/// All columns that some run of a program has, with a value of it.
json::Value columns_of(const std::vector<CellResult>& results) {
  auto columns = json::Value::object();
  for (const CellResult& result : results)
    for (const auto& [name, value] : result.columns.items())
      if (!columns.contains(name) && !value.is_array()) columns[name] = value;
  return columns;
}

/// "1,234" or "0.982".
std::string figure_text(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  if (value >= 0 && static_cast<double>(whole) == value)
    return text::grouped(static_cast<std::uint64_t>(whole));
  return fmt::format("{:.3f}", value);
}

/// A column of a program, or nothing where it said nothing.
std::string text_of(const json::Value& columns, const std::string& name) {
  const auto value = columns.find(name);
  if (value == columns.end() || value->is_null()) return "";
  if (value->is_number_float()) return figure_text(value->get<double>());
  return value->is_string() ? value->get<std::string>() : value->dump();
}

/// A table of the cells: design, size, axes that say neither, what `cells` gives below `heads`, and the outcome.
void print_rows(const std::vector<CellResult>& results, const std::vector<std::string>& heads,
                const std::function<std::vector<std::string>(const CellResult&)>& cells) {
  using Align = report::TextTable::Align;
  std::vector<report::TextTable::Column> columns{{"design"}, {"size"}};
  if (!results.empty())
    for (const auto& [name, value] : results.front().cell.columns.items())
      columns.push_back({name, value.is_number() ? Align::kRight : Align::kLeft});
  for (const std::string& head : heads) columns.push_back({head, Align::kRight});
  columns.push_back({"result"});
  report::TextTable table(columns);
  for (const CellResult& result : results) {
    std::vector<std::string> row{result.cell.design, result.cell.size};
    for (const auto& [name, value] : result.cell.columns.items())
      row.push_back(text_of(result.cell.columns, name));
    const std::vector<std::string> more = cells(result);
    row.insert(row.end(), more.begin(), more.end());
    row.push_back(result.verified() ? "verified" : result.error());
    table.add(row);
  }
  fmt::print("{}", table.text());
}

/// For tables with columns that are calculated, in their order.
void print_calculated(const std::vector<CellResult>& results, const std::vector<std::string>& names) {
  std::vector<std::string> heads{"cycles"};
  heads.insert(heads.end(), names.begin(), names.end());
  print_rows(results, heads, [&](const CellResult& result) {
    std::vector<std::string> cells{text::grouped(result.cycles)};
    for (const std::string& name : names) {
      const auto value = result.columns.find(name);
      const bool is_number = value != result.columns.end() && value->is_number();
      cells.push_back(is_number ? figure_text(value->get<double>()) : "-");
    }
    return cells;
  });
}

/// For tables without published values.
void print_activity(const std::vector<CellResult>& results) {
  print_rows(results, {"cycles", "utilisation", "warp instructions", "register accesses"},
             [](const CellResult& result) {
               return std::vector<std::string>{
                   text::grouped(result.cycles), text::percent(result.utilisation),
                   text::grouped(result.warp_instructions), text::grouped(result.register_file_accesses)};
             });
}

/// What is published about a cell, when it ran on the machine that was published.
using Reference = std::function<std::optional<workloads::Published>(const CellResult&)>;

void print_table(const std::vector<CellResult>& results, const Reference& published) {
  if (std::none_of(results.begin(), results.end(),
                   [&](const auto& result) { return published(result).has_value(); }))
    return print_activity(results);
  print_rows(results, {"cycles", "utilisation", "published", "utilisation", "difference"},
             [&](const CellResult& result) {
               const auto reference = published(result);
               return std::vector<std::string>{
                   text::grouped(result.cycles), text::percent(result.utilisation),
                   reference ? text::grouped(reference->cycles) : "",
                   reference && reference->utilisation != 0 ? text::percent(reference->utilisation) : "",
                   deviation(result.cycles, reference)};
             });
}

/// For a program of its own: its columns.
void print_columns(const std::vector<CellResult>& results) {
  using Align = report::TextTable::Align;
  std::vector<report::TextTable::Column> head;
  const json::Value columns = columns_of(results);
  for (const auto& [name, value] : columns.items())
    head.push_back({name, value.is_number() ? Align::kRight : Align::kLeft});
  head.push_back({"cycles", Align::kRight});
  head.push_back({"utilisation", Align::kRight});
  head.push_back({"result"});
  report::TextTable table(head);
  for (const CellResult& result : results) {
    std::vector<std::string> row;
    for (const auto& [name, value] : columns.items()) row.push_back(text_of(result.columns, name));
    row.push_back(text::grouped(result.cycles));
    row.push_back(text::percent(result.utilisation));
    row.push_back(result.verified() ? "ok" : result.error());
    table.add(row);
  }
  fmt::print("{}", table.text());
}

/// Means and largest values of calculated columns.
void print_summary(const Experiment& experiment, const std::vector<CellResult>& results) {
  if (experiment.sweep().summary.empty()) return;
  const auto lines = summary_of(experiment, results);
  std::vector<report::TextTable::Column> head;
  for (const std::string& axis : experiment.sweep().summary) head.push_back({axis});
  for (const auto& figure : lines.front().figures)
    for (const char* kind : {"mean ", "largest "})
      head.push_back({kind + figure.column, report::TextTable::Align::kRight});
  report::TextTable table(head);
  for (const Summary& line : lines) {
    std::vector<std::string> row = line.labels;
    for (const auto& figure : line.figures)
      for (const double value : {figure.mean, figure.largest})
        row.push_back(figure.cells == 0 ? "-" : figure_text(value));
    table.add(row);
  }
  fmt::print("\n{}", table.text());
}

/// Text as one CSV field.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  return report::csv_quoted(text);
}

/// A line for each window but the usual one, with the designs that were timed over it.
void print_windows(const std::vector<CellResult>& results) {
  std::map<std::string, std::vector<std::string>> windows;
  for (const CellResult& result : results) {
    if (result.window.empty() || result.window == workloads::kResultsWindow) continue;
    std::vector<std::string>& designs = windows[result.window];
    if (std::find(designs.begin(), designs.end(), result.cell.design) == designs.end())
      designs.push_back(result.cell.design);
  }
  for (const auto& [window, designs] : windows)
    fmt::print("\nTimed region of {}: {}, {}", fmt::join(designs, ", "), window,
               workloads::window_text(window));
}

/// The designs whose set-up before the first load is a part of the cycles that counts.
void print_set_up(const std::vector<CellResult>& results) {
  std::vector<std::string> parts;
  for (const CellResult& result : results)
    if (result.lead_cycles &&
        workloads::is_long_lead(static_cast<double>(*result.lead_cycles), static_cast<double>(result.cycles)))
      parts.push_back(fmt::format("{} {} {} cycles ({:.1f} %)", result.cell.design, result.cell.size,
                                  text::grouped(*result.lead_cycles),
                                  workloads::lead_percent(static_cast<double>(*result.lead_cycles),
                                                          static_cast<double>(result.cycles))));
  if (!parts.empty())
    fmt::print("\nSet-up before the first load is in the cycles: {}; below 2 % elsewhere",
               fmt::join(parts, ", "));
}

/// Which compiler made which kernels.
void print_compilers(const std::vector<CellResult>& results) {
  std::map<std::string, std::vector<std::string>> designs;
  for (const CellResult& result : results) {
    std::vector<std::string>& same = designs[result.compiler];
    if (!result.compiler.empty() && std::find(same.begin(), same.end(), result.cell.design) == same.end())
      same.push_back(result.cell.design);
  }
  for (const auto& [compiler, names] : designs)
    if (!names.empty()) fmt::print("\nCompiled by {}: {}", compiler, fmt::join(names, ", "));
}

std::string csv(const std::vector<CellResult>& results, const Reference& published) {
  std::string text =
      "design,size,cycles,utilisation,instructions,verified,published_cycles,error,warp_instructions,"
      "register_file_accesses,window,compiler,shared_memory_bytes,register_rows";
  const json::Value columns = columns_of(results);
  for (const auto& [name, value] : columns.items()) text += "," + name;
  text += "\n";
  for (const CellResult& result : results) {
    const auto reference = published(result);
    text += fmt::format("{},{},{},{:.6f},{},{},{},{},{},{},{},{},{},{}", result.cell.design, result.cell.size,
                        result.cycles, result.utilisation, result.instructions, result.verified(),
                        reference ? std::to_string(reference->cycles) : "", field(result.error()),
                        result.warp_instructions, result.register_file_accesses, result.window,
                        field(result.compiler), result.shared_memory_bytes, result.register_rows);
    for (const auto& [name, value] : columns.items()) text += "," + field(text_of(result.columns, name));
    text += "\n";
  }
  return text;
}

std::string json(const std::vector<CellResult>& results, const Reference& published) {
  auto rows = json::Value::array();
  for (const CellResult& result : results) {
    json::Value row;
    row["design"] = result.cell.design;
    row["size"] = result.cell.size;
    row["cycles"] = result.cycles;
    row["window"] = result.window;
    if (result.lead_cycles) row["lead_cycles"] = *result.lead_cycles;
    row["utilisation"] = result.utilisation;
    row["instructions"] = result.instructions;
    row["warp_instructions"] = result.warp_instructions;
    row["register_file_accesses"] = result.register_file_accesses;
    row["shared_memory_bytes"] = result.shared_memory_bytes;
    row["register_rows"] = result.register_rows;
    row["verified"] = result.verified();
    row.update(result.columns);
    if (!result.compiler.empty()) row["compiler"] = result.compiler;
    if (const auto reference = published(result)) {
      row["published_cycles"] = reference->cycles;
      if (reference->utilisation != 0) row["published_utilisation"] = reference->utilisation;
    }
    if (!result.error().empty()) row["error"] = result.error();
    rows.push_back(std::move(row));
  }
  return report::printable_json(rows).dump(2) + "\n";
}

/// The report of all cells that ran. The energy of a design that is compared is shown next to its base.
void write_report(const std::string& file, const std::vector<CellResult>& results,
                  const std::vector<sweep::DesignPair>& comparisons, bool runs_programs) {
  std::vector<report::ReportedRun> runs;
  std::vector<Cell> cells;
  for (const CellResult& result : results) {
    if (!result.verified()) continue;
    runs.push_back(report::read_run(result.folder.string()));
    // The size of a program has all that its axes say.
    runs.back().name =
        fmt::format("{} {}", result.cell.design, runs_programs ? result.cell.size : size_text(result.cell));
    runs.back().measured = result.columns;
    runs.back().axes = result.cell.columns;
    cells.push_back(result.cell);
  }
  for (const sweep::DesignPair& one : comparisons)
    for (std::size_t i = 0; i < runs.size(); ++i)
      for (std::size_t base = 0; base < runs.size(); ++base)
        if (cells[i].design == one.design && cells[base].design == one.base &&
            cells[i].size == cells[base].size && cells[i].columns == cells[base].columns &&
            !runs[i].compared_with)
          runs[i].compared_with = base;
  report::write_html_report(file, runs);
  fmt::print("\nwritten: {}\n", input::printable(file));
}

}  // namespace

int show_results(const Experiment& experiment, const std::vector<CellResult>& results,
                 const TableOptions& options) {
  const Reference published = [&](const CellResult& result) {
    // What is published is of the window of the published program.
    const workloads::GemmDesign* const design = experiment.design(result.cell);
    return design != nullptr && result.window == workloads::window_name(design->window)
               ? experiment.published(result.cell)
               : std::nullopt;
  };
  job::HostErrors host_errors;
  const bool with_energy = experiment.measures_energy();
  if (!with_energy) {  // first: the table may go where there is no room
    host_errors.attempt([&] { input::write_text(options.out + "/results.csv", csv(results, published)); });
    host_errors.attempt([&] { input::write_text(options.out + "/results.json", json(results, published)); });
  }
  fmt::print("{}\n\n", experiment.sweep().title.empty() ? experiment.sweep().name : experiment.sweep().title);
  if (with_energy) report_energy(results, experiment, options.out, host_errors);
  else if (experiment.runs_programs()) print_columns(results);
  else if (const auto names = calculated_columns(experiment.sweep()); !names.empty())
    print_calculated(results, names);
  else print_table(results, published);
  print_summary(experiment, results);
  print_gpus(results);
  if (!options.left_out.empty())
    fmt::print("\nNot among the usual points, to be chosen: {}", fmt::join(options.left_out, "; "));
  print_windows(results);
  print_set_up(results);
  print_compilers(results);
  if (!with_energy && !options.changed.empty())
    fmt::print("\nNo published values shown: they are for another machine (changed: {})\n",
               fmt::join(options.changed, ", "));
  if (!options.report.empty())
    host_errors.attempt(
        [&] { write_report(options.report, results, experiment.comparisons(), experiment.runs_programs()); });
  fmt::print("\nresults.json, results.csv and one folder per cell are in {}\n",
             input::printable(options.out));
  return host_errors.exit_code(
      std::all_of(results.begin(), results.end(), [](const auto& result) { return result.verified(); }) ? 0
                                                                                                        : 1);
}

}  // namespace spica::experiment
