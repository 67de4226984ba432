// SPDX-License-Identifier: Apache-2.0
// `spica sweep`: many runs from one file; this part plans and runs them.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "platform/base/input/number_text.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/base/text/number_format.h"
#include "platform/cli/commands.h"
#include "platform/cli/paths.h"
#include "platform/cli/plugin_option.h"
#include "platform/cli/sweep_command.h"
#include "platform/observe/report/provenance.h"
#include "platform/observe/report/text_table.h"
#include "platform/run/signals.h"
#include "platform/studies/sweep/collect.h"
#include "platform/studies/sweep/open_sweep.h"
#include "platform/studies/sweep/probe.h"
#include "platform/studies/sweep/runner.h"
#include "platform/studies/sweep/slurm.h"

namespace spica::cli {

namespace fs = std::filesystem;

void print_unknown(const std::vector<std::string>& names, const std::string& sweep) {
  for (const std::string& name : names)
    fmt::print(stderr,
               "{}: the first run has nothing of this name; spica sweep values {} lists what there is\n",
               input::printable(name), sweep);
}

std::string names_of(const std::vector<sweep::State>& states) {
  std::string names;
  for (const sweep::State state : states)
    names += fmt::format("{}{}", names.empty() ? "" : ",", sweep::state_name(state));
  return names;
}

/// The value of --retry for all states without a right result.
constexpr const char* kAll = "all";

std::vector<sweep::State> parse_states(const std::string& text) {
  if (text == kAll) return sweep::states_without_result();
  std::vector<sweep::State> states;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string name = text.substr(begin, end - begin);
    const auto state = sweep::state_of(name);
    if (!state || *state == sweep::State::kMissing)
      throw input::UserError(fmt::format("unknown state \"{}\"; states: {}; {}: all but ok", name,
                                         names_of(sweep::recorded_states()), kAll));
    states.push_back(*state);
    begin = end + 1;
  }
  return states;
}

std::string counts_text(const std::map<sweep::State, std::uint64_t>& states) {
  std::string text;
  for (const auto& [state, count] : states)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", text::grouped(count), sweep::state_name(state));
  return text.empty() ? "nothing" : text;
}

int exit_code_of(const std::map<sweep::State, std::uint64_t>& states) {
  return std::all_of(states.begin(), states.end(),
                     [](const auto& one) { return one.second == 0 || !sweep::is_failure(one.first); })
             ? 0
             : 1;
}

void add_accepted(Command& command, std::vector<std::string>& models) {
  command
      .option("--accept-model", models,
              "also count records of this model version if this one has none, from now on; may be repeated")
      .repeats();
}

namespace {

/// What the plan of a sweep is asked for.
struct PlanOptions {
  std::string given, dir, points;
  bool list = false, commands = false, no_probe = false;
};

/// The numbers in "3,17-20". Throws UserError.
std::vector<std::pair<std::uint64_t, std::uint64_t>> parse_ranges(const std::string& text) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t dash = part.find('-');
    const auto first = input::parse_number(part.substr(0, dash));
    const auto last = dash == std::string::npos ? first : input::parse_number(part.substr(dash + 1));
    if (!first || !last || *first > *last)
      throw input::UserError(
          fmt::format("--points \"{}\": expected numbers and ranges, for example 3,17-20", text));
    ranges.emplace_back(*first, *last);
    begin = end + 1;
  }
  return ranges;
}

bool is_in(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& ranges, std::uint64_t number) {
  return ranges.empty() || std::any_of(ranges.begin(), ranges.end(), [&](const auto& range) {
           return range.first <= number && number <= range.second;
         });
}

void print_point(const sweep::OpenSweep& open, const sweep::Point& point, const std::string& key,
                 sweep::State state, bool as_command) {
  const sweep::Sweep& sweep = open.sweep();
  if (as_command) {
    std::vector<std::string> words = sweep::command_of(sweep, point, 0);
    words.insert(words.begin(), "spica");
    fmt::print("{}\n", report::shell_text(words));
    return;
  }
  json::Value line;
  line["point"] = point.index;
  if (!point.name.empty()) line["name"] = point.name;
  for (std::size_t i = 0; i < point.values.size(); ++i) line[sweep.axes[i].name] = point.values[i]->label;
  line["key"] = key;
  line["state"] = sweep::state_name(state);
  fmt::print("{}\n", line.dump());
}

/// Runs a few points that have no record, and says from them what all would cost.
/// Names of results that they have not are returned.
std::vector<std::string> estimate(const sweep::OpenSweep& open, const std::vector<sweep::Task>& tasks,
                                  unsigned jobs) {
  if (tasks.empty()) return {};
  const sweep::ProbeCosts costs = sweep::probe(open, tasks, jobs);
  fmt::print("cost, from {} of them: {} of CPU time, {} of wall time with --jobs {}, {:.1f} MB of records\n",
             costs.probes, duration_text(costs.cpu_seconds), duration_text(costs.cpu_seconds / jobs), jobs,
             costs.record_bytes / 1e6);
  for (const std::string& reason : costs.refused) fmt::print("refused: {}\n", reason);
  return costs.unknown;
}

int run_plan(const PlanOptions& options) {
  leave_out_plugins();
  const sweep::OpenSweep open(options.given, options.dir, places());
  const auto ranges = parse_ranges(options.points);
  const sweep::Records records(open.folder(), sweep::model_text());
  sweep::ColumnNames columns(open.folder());
  std::map<sweep::State, std::uint64_t> states;
  std::vector<sweep::Task> missing;
  std::uint64_t points = 0;
  sweep::for_each_point(open.plan(), open.keys(), [&](const sweep::Point& point) {
    if (!is_in(ranges, point.index)) return;
    ++points;
    for (unsigned repeat = 0; repeat < open.sweep().repeats; ++repeat) {
      const std::string key = open.keys().key(point, repeat);
      const bool done = sweep::is_done(open.sweep(), records, columns, key, {});
      const sweep::State state = done ? records.state(key) : sweep::State::kMissing;
      if ((options.list || options.commands) && repeat == 0)
        print_point(open, point, key, state, options.commands);
      ++states[state];
      if (!done) missing.push_back({point.index, repeat, key});
    }
  });
  if (options.list || options.commands) return 0;
  report::TextTable table({{"axis"}, {"values", report::TextTable::Align::kRight}, {""}});
  for (const sweep::Axis& axis : open.sweep().axes)
    table.add({axis.name, text::grouped(axis.values.size()),
               axis.values.size() == 1 ? axis.values.front().label
                                       : axis.values.front().label + " to " + axis.values.back().label});
  fmt::print("{}\n\n{}\n", open.sweep().title.empty() ? open.sweep().name : open.sweep().title, table.text());
  fmt::print("{} points of {}{}{}\n", text::grouped(points), text::grouped(open.plan().count()),
             open.sweep().only.empty() ? "" : ", the others excluded by `only`",
             open.sweep().repeats > 1 ? fmt::format(", {} runs each", open.sweep().repeats) : "");
  fmt::print("runs: {}\n", counts_text(states));
  if (!print_unchecked_plugins() && !options.no_probe)
    print_unknown(estimate(open, missing, default_jobs()), options.given);
  return 0;
}

struct SweepRunOptions {
  std::string given, dir, shard = "0/1", order = "plan", retry;
  unsigned jobs = default_jobs();
  std::uint64_t most = 0, stop_after = 0;
  bool keep_going = false, dry_run = false, slurm = false, no_submit = false;
  std::string points_of;
  std::vector<std::string> reuse, accepted;
  std::uint64_t tasks = 0;  // of a Slurm array; 0: as many as make sense
};

/// Runs what is missing as an array of Slurm.
int run_slurm(const sweep::OpenSweep& open, const SweepRunOptions& given) {
  sweep::write_head(open.plan(), open.folder());
  const std::vector<sweep::State> retry = parse_states(given.retry);
  const sweep::Records records(open.folder(), sweep::model_text());
  sweep::ColumnNames columns(open.folder());
  std::vector<sweep::Task> missing;
  std::vector<std::uint64_t> points;
  for (sweep::Task& task : sweep::all_tasks(open.plan(), open.keys())) {
    if (sweep::is_done(open.sweep(), records, columns, task.key, retry)) continue;
    if (points.empty() || points.back() != task.index) points.push_back(task.index);
    missing.push_back(std::move(task));
  }
  if (missing.empty()) {
    fmt::print("all runs have a record; nothing to submit\n");
    return 0;
  }
  if (!retry.empty())
    throw input::UserError("--retry re-runs on this machine and cannot be combined with --slurm");
  sweep::SlurmArray array;
  array.folder = fs::absolute(open.folder());
  array.given = open.sweep().file.string();
  array.program_folder = sweep::copy_program(array.folder, fs::path(kernel_path("hello")).parent_path(),
                                             configs_dir(), kernel_home());
  array.number = sweep::next_array(array.folder);
  array.tasks =
      given.tasks != 0
          ? std::min<std::uint64_t>(given.tasks, points.size())
          : sweep::number_of_tasks(points.size(), sweep::probe(open, missing, default_jobs()).cpu_seconds);
  const fs::path script = sweep::write_array(open.sweep(), array, points);
  fmt::print("{} points in {} tasks\nsbatch {}\n", text::grouped(points.size()), array.tasks,
             input::printable(script.string()));
  if (given.no_submit) return 0;
  fmt::print("job {}; spica sweep status and spica sweep collect show how far it is\n",
             sweep::submit(script));
  return 0;
}

int run_sweep(const SweepRunOptions& given) {
  const sweep::OpenSweep open(given.given, given.dir, places());
  for (const std::string& model : given.accepted) sweep::AcceptedModels(open.folder()).add(model);
  if (given.slurm) return run_slurm(open, given);
  sweep::RunOptions options;
  options.folder = open.folder();
  options.jobs = given.jobs;
  options.shard = sweep::Shard::parse(given.shard);
  if (!given.points_of.empty()) options.points = sweep::read_points(given.points_of);
  options.most = given.most;
  options.order = given.order == "random"        ? sweep::Order::kRandom
                  : given.order == "cheap-first" ? sweep::Order::kCheapFirst
                                                 : sweep::Order::kPlan;
  options.retry = parse_states(given.retry);
  options.stop_after = given.stop_after;
  for (const std::string& folder : given.reuse) {
    std::error_code ignored;
    if (!fs::is_directory(fs::path(folder) / "records", ignored))
      throw input::UserError(fmt::format("--reuse {}: not a sweep folder", folder));
    options.reuse.emplace_back(folder);
  }
  options.keep_going = given.keep_going;
  if (given.dry_run) {
    PlanOptions plan;
    plan.given = given.given;
    plan.dir = given.dir;
    plan.commands = true;
    return run_plan(plan);
  }
  const job::Interrupt::SignalGuard keep;
  const sweep::RunCounts counts = sweep::run_tasks(open.plan(), open.keys(), options);
  std::uint64_t ran = 0;
  for (const auto& [state, count] : counts.states) ran += count;
  fmt::print("{} of {} runs had a record, {} ran: {}\n", text::grouped(counts.known),
             text::grouped(counts.known + ran + counts.left), text::grouped(ran), counts_text(counts.states));
  print_unknown(counts.unknown, given.given);
  if (counts.left != 0)
    fmt::print("{} not run: {}\n", text::grouped(counts.left), input::printable(counts.why_left));
  const std::string folder = input::printable(open.folder().string());
  if (options.shard.count != 1 || !options.points.empty()) {  // others may be at work
    fmt::print("records are in {}; spica sweep collect makes a table of them\n", folder);
    return counts.left == 0 ? exit_code_of(counts.states) : 1;
  }
  const sweep::Collected all = sweep::collect(open.plan(), open.keys(), open.folder());
  fmt::print("points: {}\nresults.csv, results.sqlite and host.csv are in {}\n", counts_text(all.states),
             folder);
  return exit_code_of(all.states);
}

void options_of_sweep_plan(Command& command) {
  auto options = std::make_shared<PlanOptions>();
  command.option("SWEEP", options->given, "sweep file, name of one in configs/sweeps/, or folder of one")
      .required();
  command.option("--dir", options->dir, "folder of the results (default out/NAME)");
  command.flag("--list", options->list, "print each point as a line of JSON");
  command.flag("--commands", options->commands, "print the command line of each point");
  command.option("--points", options->points, "only these points: numbers and ranges, 3,17-20")
      .only_with({"--list", "--commands"});
  command.flag("--no-probe", options->no_probe, "do not run sample points for the cost estimate")
      .not_with({"--list", "--commands"});
  add_plugin_option(command);
  command.action([options](const std::vector<std::string>&) { return run_plan(*options); });
}

void options_of_sweep_run(Command& command, bool resume) {
  auto options = std::make_shared<SweepRunOptions>();
  command
      .option(resume ? "DIR" : "SWEEP", options->given,
              "sweep file, name of one in configs/sweeps/, or folder of one")
      .required();
  command.option("--dir", options->dir, "folder for results (default out/NAME)");
  command.option("--jobs", options->jobs, "number of runs in parallel").between(1, 1024).shows_default();
  command.option("--shard", options->shard, "I/N: only the points whose number modulo N is I")
      .shows_default();
  command.option("--order", options->order, "order of runs")
      .one_of({"plan", "random", "cheap-first"})
      .shows_default();
  command.option("--max", options->most, "maximum number of runs in this call; 0: all").shows_default();
  command.option("--retry", options->retry,
                 fmt::format("re-run points in these states: {}; or {}",
                             names_of(sweep::states_without_result()), kAll));
  command.option("--stop-after", options->stop_after, "stop after this number of failures; 0: never")
      .shows_default();
  command.option("--points-of", options->points_of,
                 "run only the points with the numbers in this file, one per line");
  command
      .option("--reuse", options->reuse, "folder of another sweep whose results are reused; may be repeated")
      .repeats();
  add_accepted(command, options->accepted);
  add_plugin_option(command);
  command.flag("--slurm", options->slurm, "run missing points as an array of Slurm jobs and return");
  command.option("--tasks", options->tasks, "with --slurm: number of tasks; 0: automatic")
      .shows_default()
      .only_with({"--slurm"});
  command
      .flag("--no-submit", options->no_submit, "with --slurm: write the script and print its submit command")
      .only_with({"--slurm"});
  command.flag("--go-on", options->keep_going, "continue even if the first 20 runs all fail for one reason");
  command.flag("--dry-run", options->dry_run, "print the commands instead of running them");
  command.action([options](const std::vector<std::string>&) {
    serve_children();
    return run_sweep(*options);
  });
}

void options_of_sweep(Command& command) {
  command.add("plan", "count the points and estimate their cost", options_of_sweep_plan);
  command.add("run", "run the points that have no result yet; repeat the command to resume",
              [](Command& inner) { options_of_sweep_run(inner, false); });
  command.add("resume", "resume a sweep from its folder",
              [](Command& inner) { options_of_sweep_run(inner, true); });
  add_sweep_results_commands(command);
  add_sweep_pareto_command(command);
  add_sweep_points_commands(command);
  add_sweep_values_command(command);
}

}  // namespace

void add_sweep_command(CommandLine& line) {
  line.add("sweep", "run many points from one file, collect and compare them", options_of_sweep);
}

}  // namespace spica::cli
