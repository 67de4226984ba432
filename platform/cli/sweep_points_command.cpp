// SPDX-License-Identifier: Apache-2.0
// `spica sweep`: single points, and two sweeps side by side.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "platform/base/input/file.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/base/json/parse.h"
#include "platform/cli/paths.h"
#include "platform/cli/plugin_option.h"
#include "platform/cli/sweep_command.h"
#include "platform/observe/report/provenance.h"
#include "platform/observe/report/text_table.h"
#include "platform/run/child_process.h"
#include "platform/run/files.h"
#include "platform/run/signals.h"
#include "platform/studies/sweep/compare.h"
#include "platform/studies/sweep/one_point.h"
#include "platform/studies/sweep/open_sweep.h"
#include "platform/studies/sweep/runner.h"

namespace spica::cli {

namespace fs = std::filesystem;

namespace {

struct EvalOptions {
  std::string given, dir, point;
};

/// The values of a record by name, without those that are axes.
json::Value values_json(const sweep::Sweep& sweep, const std::vector<std::string>& names,
                        const std::string& values) {
  auto result = json::Value::object();
  const auto read = json::parse(values);
  for (std::size_t i = 0; read && i < std::min(names.size(), read->size()); ++i)
    if (sweep.axis(names[i]) == nullptr) result[names[i]] = (*read)[i];
  return result;
}

void print_evaluated(sweep::State state, const std::string& key, const json::Value& values,
                     const std::string& reason) {
  json::Value line;
  line["status"] = sweep::state_name(state);
  line["key"] = key.empty() ? json::Value() : json::Value(key);
  line["values"] = values;
  line["reason"] = reason.empty() ? json::Value() : json::Value(reason);
  fmt::print("{}\n", line.dump());
}

/// The record of a point, which runs now unless it has one.
int run_eval(const EvalOptions& options) {
  const sweep::OpenSweep open(options.given, options.dir, places());
  const sweep::ChosenPoint chosen = sweep::point_of_json(open.plan(), options.point);
  std::string key;
  try {
    key = open.keys().key(chosen.point, 0);
  } catch (const config::ConfigError& error) {  // a value out of its range: no machine, and nothing to record
    print_evaluated(sweep::State::kRefused, "", json::Value::object(), error.what());
    return 0;
  }
  sweep::ColumnNames columns(open.folder());
  std::optional<sweep::Record> record;
  {
    const sweep::Records records(open.folder(), sweep::model_text());
    if (sweep::is_done(open.sweep(), records, columns, key, {})) record = records.find(key);
  }
  if (!record) {
    const job::Interrupt::SignalGuard keep;
    std::string names;
    record = sweep::run_one(open.sweep(), chosen.point, 0, names);
    if (job::Interrupt::signal() != 0) return 1;
    record->key = key;
    sweep::write_head(open.plan(), open.folder());
    record->columns = columns.put(names);
    sweep::RecordWriter(open.folder(), "eval").write(*record);
  }
  print_evaluated(record->state, key, values_json(open.sweep(), columns.get(record->columns), record->values),
                  record->reason);
  return sweep::is_failure(record->state) ? 1 : 0;
}

struct ShowOptions {
  std::string given, dir, out;
  std::uint64_t point = 0;
};

/// Re-runs the run, with all its results in `out`; reports whether they are those of the record.
int run_again(const sweep::OpenSweep& open, const sweep::Point& point, const sweep::Record& record,
              const std::vector<std::string>& names, const std::string& out) {
  job::make_folder(out);
  const job::ChildResult result = job::run_child(sweep::child_of(
      open.sweep(), point, 0, {{"out", out}, {"report", (fs::path(out) / "report.html").string()}}));
  std::string now_names;
  const sweep::Record now = sweep::record_of(open.sweep(), result, now_names);
  if (!result.errors.empty()) input::write_text((fs::path(out) / "errors.txt").string(), result.errors);
  const json::Value before = values_json(open.sweep(), names, record.values),
                    after = values_json(open.sweep(),
                                        json::Value::parse(now_names).get<std::vector<std::string>>(),
                                        now.values);
  bool same = now.state == record.state;
  for (const auto& [name, value] : before.items()) same &= after.contains(name) && after[name] == value;
  fmt::print("everything is in {}; the result is {}\n", input::printable(out),
             same ? "the recorded one" : "NOT the recorded one: " + after.dump());
  return same ? 0 : 3;
}

int run_show(const ShowOptions& options) {
  const sweep::OpenSweep open(options.given, options.dir, places());
  const sweep::Point point = open.point(options.point);
  std::vector<std::string> words = sweep::command_of(open.sweep(), point, 0);
  words.insert(words.begin(), "spica");
  fmt::print("point {}\n", options.point);
  for (std::size_t i = 0; i < point.values.size(); ++i)
    fmt::print("  {}: {}\n", open.sweep().axes[i].name, point.values[i]->label);
  fmt::print("{}\n", report::shell_text(words));
  const std::string key = open.keys().key(point, 0);
  fmt::print("key {}\n", key);
  const sweep::Records records(open.folder(), sweep::model_text());
  const auto record = records.find(key);
  if (!record) {
    fmt::print("state missing\n");
    return 0;
  }
  fmt::print("state {}\n", sweep::state_name(record->state));
  if (!record->reason.empty()) fmt::print("reason {}\n", input::printable(record->reason));
  sweep::ColumnNames columns(open.folder());
  const std::vector<std::string> names = columns.get(record->columns);
  const json::Value values = values_json(open.sweep(), names, record->values);
  for (const auto& [name, value] : values.items()) fmt::print("  {}: {}\n", name, value.dump());
  if (options.out.empty()) return 0;
  return run_again(open, point, *record, names, options.out);
}

struct DiffOptions {
  std::string before, after;
  double tolerance = 0;
  unsigned top = 20;
};

int run_diff(const DiffOptions& options) {
  const sweep::OpenSweep before(options.before, "", places()), after(options.after, "", places());
  const sweep::Comparison result =
      sweep::compare(before.sweep(), sweep::rows_of(before), sweep::rows_of(after), options.tolerance);
  report::TextTable table({{"point"},
                           {"value"},
                           {"before", report::TextTable::Align::kRight},
                           {"after", report::TextTable::Align::kRight},
                           {"", report::TextTable::Align::kRight}});
  for (std::size_t i = 0; i < std::min<std::size_t>(options.top, result.differences.size()); ++i) {
    const sweep::Difference& one = result.differences[i];
    table.add({one.point, one.column, sweep::text_of(one.before), sweep::text_of(one.after),
               std::isfinite(one.relative) ? fmt::format("{:+.2f} %", 100 * one.relative) : ""});
  }
  fmt::print("{}", table.text());
  if (result.differences.size() > options.top)
    fmt::print("... and {} more; --top shows them\n", result.differences.size() - options.top);
  for (const std::string& point : result.only_before) fmt::print("gone: {}\n", point);
  for (const std::string& point : result.only_after) fmt::print("new: {}\n", point);
  fmt::print("{} points compared, {} values differ, {} points are gone, {} new\n", result.compared,
             result.differences.size(), result.only_before.size(), result.only_after.size());
  const bool same = result.differences.empty() && result.only_before.empty() && result.only_after.empty();
  return same ? 0 : 1;
}

}  // namespace

void add_sweep_points_commands(Command& command) {
  command.add("eval", "run one point and print it as JSON, for optimisers and scripts", [](Command& inner) {
    auto options = std::make_shared<EvalOptions>();
    inner.option("SWEEP", options->given, "sweep file, name of one in configs/sweeps/, or folder of one")
        .required();
    inner.option("--dir", options->dir, "folder of the results (default out/NAME)");
    inner.option("--point", options->point, "JSON object with a value for each axis").required();
    add_plugin_option(inner);
    inner.action([options](const std::vector<std::string>&) { return run_eval(*options); });
  });
  command.add("show", "show one point; with --out also re-run it and write all results", [](Command& inner) {
    auto options = std::make_shared<ShowOptions>();
    inner.option("SWEEP", options->given, "folder of results, sweep file, or name of one in configs/sweeps/")
        .required();
    inner.option("POINT", options->point, "point number").required();
    inner.option("--dir", options->dir, "folder of the results (default out/NAME)");
    inner.option("--out", options->out,
                 "re-run the point and write statistics, report and errors to this folder");
    add_plugin_option(inner);
    inner.action([options](const std::vector<std::string>&) { return run_show(*options); });
  });
  command.add("diff", "compare the results of two folders; exit code 1 if they differ", [](Command& inner) {
    auto options = std::make_shared<DiffOptions>();
    inner.option("BEFORE", options->before, "folder of results").required();
    inner.option("AFTER", options->after, "folder of results").required();
    inner.option("--tolerance", options->tolerance, "relative difference that counts as equal")
        .shows_default();
    inner.option("--top", options->top, "number of differences to print, the largest ones").shows_default();
    add_plugin_option(inner);
    inner.action([options](const std::vector<std::string>&) { return run_diff(*options); });
  });
}

}  // namespace spica::cli
