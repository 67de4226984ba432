// SPDX-License-Identifier: Apache-2.0
// `spica sweep`: the handling of results.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "platform/base/input/printable.h"
#include "platform/base/input/regular_file.h"
#include "platform/base/input/user_error.h"
#include "platform/base/text/number_format.h"
#include "platform/cli/described_options.h"
#include "platform/cli/paths.h"
#include "platform/cli/plugin_option.h"
#include "platform/cli/sweep_command.h"
#include "platform/observe/report/text_table.h"
#include "platform/studies/sweep/clean.h"
#include "platform/studies/sweep/collect.h"
#include "platform/studies/sweep/open_sweep.h"
#include "platform/studies/sweep/page.h"
#include "platform/studies/sweep/runner.h"
#include "platform/studies/sweep/status.h"
#include "platform/studies/sweep/table.h"

namespace spica::cli {

unsigned default_jobs() { return std::max(1U, std::thread::hardware_concurrency()); }

std::string duration_text(double seconds) {
  constexpr double kMinute = 60, kHour = 3600;
  if (seconds < 2 * kMinute) return fmt::format("{:.3g} s", seconds);
  if (seconds < 2 * kHour) return fmt::format("{:.3g} min", seconds / kMinute);
  return fmt::format("{:.3g} h", seconds / kHour);
}

void add_results(Command& command, std::string& given, std::string& dir) {
  command.option("SWEEP", given, "folder of results, sweep file, or name of one in configs/sweeps/")
      .required();
  command.option("--dir", dir, "folder of the results (default out/NAME)");
  add_plugin_option(command);
}

namespace {

struct ResultOptions {
  std::string given, dir;
  bool json = false;
};

void print_uncounted(std::uint64_t damaged, const std::map<std::string, std::uint64_t>& of_other_models) {
  if (damaged != 0) fmt::print("{} incomplete records are ignored\n", damaged);
  std::uint64_t others = 0;
  std::vector<std::string> models;
  for (const auto& [model, count] : of_other_models) {
    others += count;
    models.push_back(fmt::format("{}: {}", input::printable(model), text::grouped(count)));
  }
  if (others != 0)
    fmt::print("{} records of other versions of the model are ignored ({}); --accept-model includes them\n",
               text::grouped(others), fmt::join(models, ", "));
}

json::Value states_json(const std::map<sweep::State, std::uint64_t>& states) {
  auto result = json::Value::object();
  for (const auto& [state, count] : states) result[sweep::state_name(state)] = count;
  return result;
}

int run_status(const ResultOptions& options) {
  const sweep::OpenSweep open(options.given, options.dir, places());
  const sweep::Status status = sweep::status_of(open);
  std::vector<std::pair<std::string, std::uint64_t>> reasons(status.reasons.begin(), status.reasons.end());
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (options.json) {
    json::Value document;
    document["runs"] = states_json(status.states);
    document["axes"] = json::Value::object();
    for (const auto& [axis, labels] : status.by_axis)
      for (const auto& [label, states] : labels) document["axes"][axis][label] = states_json(states);
    document["reasons"] = json::Value::object();
    for (const auto& [reason, count] : reasons) document["reasons"][reason] = count;
    document["damaged_records"] = status.damaged;
    document["records_of_other_models"] = status.of_other_models;
    document["accepted_models"] = sweep::AcceptedModels(open.folder()).names();
    document["cpu_seconds"] = status.cpu_seconds;
    fmt::print("{}\n", document.dump(2));
    return exit_code_of(status.states);
  }
  fmt::print("runs: {}; {} of CPU time\n", counts_text(status.states), duration_text(status.cpu_seconds));
  print_uncounted(status.damaged, status.of_other_models);
  report::TextTable table({{"axis"}, {"value"}, {"runs"}});
  for (const sweep::Axis& axis : open.sweep().axes) {
    const auto found = status.by_axis.find(axis.name);
    constexpr std::size_t kMost = 20;
    if (found == status.by_axis.end() || axis.values.size() > kMost) continue;
    for (const sweep::AxisValue& value : axis.values)
      if (const auto states = found->second.find(value.label); states != found->second.end())
        table.add({axis.name, value.label, counts_text(states->second)});
  }
  fmt::print("\n{}", table.text());
  constexpr std::size_t kReasons = 5;
  for (std::size_t i = 0; i < std::min(kReasons, reasons.size()); ++i)
    fmt::print("{}{} x {}\n", i == 0 ? "\n" : "", reasons[i].second, input::printable(reasons[i].first));
  return exit_code_of(status.states);
}

struct CollectOptions : ResultOptions {
  std::vector<std::string> accepted;
};

int run_collect(const CollectOptions& options) {
  const sweep::OpenSweep open(options.given, options.dir, places());
  for (const std::string& model : options.accepted) sweep::AcceptedModels(open.folder()).add(model);
  const sweep::Collected all = sweep::collect(open.plan(), open.keys(), open.folder());
  fmt::print("points: {}\n", counts_text(all.states));
  print_uncounted(all.damaged, all.of_other_models);
  fmt::print("results.csv, results.sqlite and host.csv are in {}\n",
             input::printable(open.folder().string()));
  return exit_code_of(all.states);
}

struct CleanOptions : ResultOptions {
  bool all = false;
};

int run_clean(const CleanOptions& options) {
  const sweep::OpenSweep open(options.given, options.dir, places());
  const sweep::Cleaned cleaned = sweep::clean(open.folder(), options.all);
  if (cleaned.bytes_after != 0)
    fmt::print("{} records of {} files merged into one file of {} ({} before)\n",
               text::grouped(cleaned.records), text::grouped(cleaned.files),
               input::size_text(cleaned.bytes_after), input::size_text(cleaned.bytes_before));
  else fmt::print("nothing to merge\n");
  if (cleaned.doubles != 0) fmt::print("{} duplicate records were removed\n", text::grouped(cleaned.doubles));
  if (cleaned.damaged != 0)
    fmt::print("{} incomplete records were removed\n", text::grouped(cleaned.damaged));
  if (cleaned.running != 0)
    fmt::print(
        "{} files were kept: their processes may still run, or were on other hosts (--all also merges those)\n",
        text::grouped(cleaned.running));
  return 0;
}

struct TableCommandOptions : ResultOptions {
  sweep::TableOptions table;
};

int run_table(TableCommandOptions options) {
  const sweep::OpenSweep open(options.given, options.dir, places());
  const sweep::Rows rows = sweep::rows_of(open);
  if (options.table.values.empty()) {
    for (const sweep::Objective& objective : open.sweep().objectives)
      options.table.values.push_back(objective.column);
    for (const char* usual : {"cycles", "utilisation"})
      if (options.table.values.size() < (options.table.rows.empty() ? 2 : 1) && rows.has(usual) &&
          std::find(options.table.values.begin(), options.table.values.end(), usual) ==
              options.table.values.end())
        options.table.values.emplace_back(usual);
    if (!options.table.rows.empty() && options.table.values.size() > 1) options.table.values.resize(1);
  }
  fmt::print("{}", sweep::table_text(open.sweep(), rows, options.table));
  if (options.table.format != "csv")
    fmt::print("\n{}\n", sweep::footnote(sweep::filtered(rows, options.table.where)));
  return 0;
}

std::shared_ptr<ResultOptions> add_given(Command& command, std::shared_ptr<ResultOptions> options) {
  add_results(command, options->given, options->dir);
  return options;
}

struct PlotOptions : ResultOptions {
  std::string out;
};

int run_plot(const PlotOptions& options) {
  const sweep::OpenSweep open(options.given, options.dir, places());
  const std::string file = options.out.empty() ? (open.folder() / "report.html").string() : options.out;
  sweep::write_page(open.plan(), sweep::rows_of(open), open.folder(), file);
  fmt::print("written: {}\n", input::printable(file));
  return 0;
}

}  // namespace

void add_sweep_results_commands(Command& command) {
  command.add("status", "show the progress of a sweep, also while it runs elsewhere", [](Command& inner) {
    auto options = add_given(inner, std::make_shared<ResultOptions>());
    inner.flag("--json", options->json, "print JSON");
    inner.action([options](const std::vector<std::string>&) { return run_status(*options); });
  });
  command.add("collect", "create results.csv and results.sqlite from the records", [](Command& inner) {
    auto options = std::make_shared<CollectOptions>();
    add_given(inner, options);
    add_accepted(inner, options->accepted);
    inner.action([options](const std::vector<std::string>&) { return run_collect(*options); });
  });
  command.add("clean", "merge records of completed processes into one packed file", [](Command& inner) {
    auto options = std::make_shared<CleanOptions>();
    add_given(inner, options);
    inner.flag("--all", options->all,
               "also merge records of other hosts; requires that no host runs the sweep");
    inner.action([options](const std::vector<std::string>&) { return run_clean(*options); });
  });
  command.add("table", "print a table of results", [](Command& inner) {
    auto options = std::make_shared<TableCommandOptions>();
    add_given(inner, options);
    inner.option("--rows", options->table.rows, "axis whose values are the rows");
    inner.option("--columns", options->table.columns, "axis whose values are the columns");
    inner
        .option("--value", options->table.values,
                "result to show, may be repeated (default: objectives, else cycles and utilisation)")
        .repeats();
    inner.option("--ratio-to", options->table.ratio_to, "divide by the values of this column")
        .only_with({"--rows"});
    inner.option("--where", options->table.where, "only points for which this condition holds");
    inner.option("--sort", options->table.sort, "order by this column; -NAME: largest first");
    inner
        .option(
            "--work", options->table.work,
            "for network layers. each: by layer. total: whole network (default: both; with --as csv by layer)")
        .one_of({"each", "total"});
    add_output_form(inner, options->table.format, {"text", "csv", "markdown"});
    inner.action([options](const std::vector<std::string>& words) {
      note_output_form(words);
      return run_table(*options);
    });
  });
  command.add("plot", "write one HTML page with charts of all results", [](Command& inner) {
    auto options = std::make_shared<PlotOptions>();
    add_given(inner, options);
    inner.option("--out", options->out, "output file (default: report.html in the folder)");
    inner.action([options](const std::vector<std::string>&) { return run_plot(*options); });
  });
}

}  // namespace spica::cli
