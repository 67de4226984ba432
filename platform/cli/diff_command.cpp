// SPDX-License-Identifier: Apache-2.0
// `spica diff A B`: why one run takes other cycles and energy than another.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "platform/base/input/printable.h"
#include "platform/base/text/number_format.h"
#include "platform/cli/commands.h"
#include "platform/observe/report/difference.h"
#include "platform/observe/report/provenance.h"
#include "platform/observe/report/statistics.h"
#include "platform/observe/report/text_table.h"

namespace spica::cli {

namespace {

struct DiffRunOptions {
  std::string before, after, report;
  bool json = false;
  unsigned top = 8;
};

std::string amount(double value, bool is_energy) {
  if (is_energy) return fmt::format("{:.4g}", value);
  const std::string text = text::grouped(static_cast<std::uint64_t>(std::llround(std::fabs(value))));
  return value < 0 ? "-" + text : text;
}

void print_changes(const std::string& title, const std::vector<report::Change>& changes, unsigned top,
                   bool is_energy) {
  if (changes.empty()) return;
  using Align = report::TextTable::Align;
  report::TextTable table(
      {{title}, {"before", Align::kRight}, {"after", Align::kRight}, {"change", Align::kRight}, {""}});
  for (std::size_t i = 0; i < std::min<std::size_t>(top, changes.size()); ++i) {
    const report::Change& one = changes[i];
    table.add({input::printable(one.name), amount(one.before, is_energy), amount(one.after, is_energy),
               amount(one.delta(), is_energy), input::printable(one.meaning)});
  }
  fmt::print("\n{}", table.text());
}

/// "energy of a: ...", a line for each note.
std::string notes_text(const std::vector<report::EnergyNote>& notes, const std::string& before,
                       const std::string& after) {
  std::string text;
  for (const report::EnergyNote& note : notes) {
    const std::string of = !note.of_after ? before : !note.of_before ? after : "both";
    text += fmt::format("Note on the energy of {}: {}\n", of, note.text);
  }
  return text;
}

/// Two lines if the units of the runs add differently; else empty.
std::string numerics_text(const report::ReportedRun& before, const report::ReportedRun& after) {
  const auto of = [](const report::ReportedRun& run) {
    const auto found = run.document.find("numerics");
    return found != run.document.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  if (of(before) == of(after)) return {};
  const auto line = [&](const report::ReportedRun& run) {
    return fmt::format("Sums of {}: {}\n", run.name, of(run).empty() ? "not stated" : of(run));
  };
  return line(before) + line(after);
}

int run_diff_of_runs(const DiffRunOptions& options) {
  if (!options.report.empty()) report::check_html_report(options.report);
  const report::ReportedRun before = report::read_run(options.before),
                            after = report::read_run(options.after);
  const report::RunDifference found = report::difference(before, after);
  const std::string region = report::region_sentence(before, after),
                    set_up = report::set_up_sentence(before, after);
  const std::vector<report::EnergyNote> notes = report::energy_notes(before, after);
  const std::string text = (region.empty() ? "" : region + "\n") +
                           report::sentences(found, before.name, after.name) +
                           (set_up.empty() ? "" : set_up + "\n") + numerics_text(before, after) +
                           notes_text(notes, before.name, after.name);
  if (options.json) {
    json::Value data = report::difference_json(found);
    data["region"] = region;
    data["set_up"] = set_up;
    data["numerics"] = numerics_text(before, after);
    data["energy_notes"] = json::Value::array();
    for (const report::EnergyNote& note : notes)
      data["energy_notes"].push_back(
          {{"text", note.text}, {"before", note.of_before}, {"after", note.of_after}});
    fmt::print("{}\n", report::printable_json(data).dump(2));
  } else {
    fmt::print("{}", input::printable_lines(text));
    if (!found.accounts.empty())
      print_changes(found.accounts.front().name + ", cycles", found.accounts.front().reasons, options.top,
                    false);
    print_changes("part of total energy, uJ", found.parts, options.top, true);
    print_changes("total energy by unit, uJ", found.units, options.top, true);
    print_changes("function, cycles of issue slots", found.functions, options.top, false);
  }
  if (options.report.empty()) return 0;
  json::Value data{{"version", report::version_text()}, {"before", before.name}, {"after", after.name}};
  data["difference"] = report::difference_json(found);
  data["sentences"] = json::Value::array();
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) data["sentences"].push_back(line);
  report::write_html_page(options.report, fmt::format("{} and {}", before.name, after.name), data,
                          {"theme.js", "charts.js", "diff.js"});
  if (!options.json) fmt::print("\nwritten: {}\n", input::printable(options.report));
  return 0;
}

void options_of_diff_of_runs(Command& command) {
  auto options = std::make_shared<DiffRunOptions>();
  command.option("BEFORE", options->before, "folder of the first run (its --out)").required();
  command.option("AFTER", options->after, "folder of the second run").required();
  command.option("--report", options->report, "write an HTML page with waterfall charts to this file");
  command.option("--top", options->top, "number of rows of each table").shows_default();
  command.flag("--json", options->json, "print as JSON");
  command.action([options](const std::vector<std::string>&) { return run_diff_of_runs(*options); });
}

}  // namespace

void add_diff_command(CommandLine& line) {
  line.add("diff", "explain why two runs differ in cycles and energy", options_of_diff_of_runs);
}

}  // namespace spica::cli
