// SPDX-License-Identifier: Apache-2.0
// `spica experiment SWEEP`: a table of the points of a sweep, with published values next to ours.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <thread>

#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/cli/commands.h"
#include "platform/cli/paths.h"
#include "platform/cli/plugin_option.h"
#include "platform/cli/sweep_command.h"
#include "platform/observe/report/html_report.h"
#include "platform/studies/experiment/bandwidth_report.h"
#include "platform/studies/experiment/experiment.h"
#include "platform/studies/experiment/tables.h"
#include "platform/studies/sweep/open_sweep.h"

namespace spica::cli {

namespace {

struct ExperimentOptions {
  std::string name;
  std::string out;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::string> overrides;
  std::string report;
  sweep::OpenSweep::Chosen chosen;  // by axis
  bool measures = false;  // of required-bandwidth
};

int run_experiment(const ExperimentOptions& options) {
  const sweep::OpenSweep open(options.name, options.out, places(), &options.chosen, options.overrides);
  const experiment::Experiment experiment(open.plan(), open.keys(), configs_dir());
  const experiment::TableOptions tables{open.folder().string(), options.report, experiment.unpublished_keys(),
                                        open.left_out()};
  std::error_code ignored;
  if (std::filesystem::exists(open.folder() / "records", ignored))
    throw input::UserError(fmt::format(
        "{} has results of spica sweep run, which a table would overwrite; give another folder with --out",
        input::printable(tables.out)));
  if (!options.report.empty()) report::check_html_report(options.report);
  std::vector<std::string> unknown;
  const auto results = experiment::run_experiment(open, experiment, options.jobs, unknown);
  print_unknown(unknown, options.name);
  return experiment::show_results(experiment, results, tables);
}

/// "a,b" as a list.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');)
    if (!word.empty()) words.push_back(word);
  if (words.empty()) throw input::UserError("a list of names separated by commas is expected");
  return words;
}

int run_required_bandwidth(const ExperimentOptions& options) {
  if (!options.overrides.empty())
    throw input::UserError(fmt::format("{} runs no machine, so --set has no effect; --machines accepts files",
                                       experiment::kRequiredBandwidth));
  experiment::BandwidthChoice choice;
  for (const auto& [axis, words] : options.chosen) {
    if (axis == "layer") choice.layers = words;
    else if (axis == "machine") choice.machines = words;
    else if (axis == "size") choice.sizes = words;
    else if (axis == "unit") choice.units = words;
    else
      throw input::UserError(
          fmt::format("{} has no axis \"{}\" to choose from", experiment::kRequiredBandwidth, axis));
  }
  const std::string out =
      options.out.empty() ? fmt::format("out/{}", experiment::kRequiredBandwidth) : options.out;
  if (options.measures) serve_children();
  return experiment::show_required_bandwidth(choice, places(), out, options.report,
                                             options.measures ? options.jobs : 0);
}

void options_of_experiment(Command& command) {
  auto options = std::make_shared<ExperimentOptions>();
  std::string names = fmt::format("a sweep file, or a name:\n{}: {}", experiment::kRequiredBandwidth,
                                  experiment::kRequiredBandwidthTitle);
  for (const config::Entry& entry : config::entries(configs_dir(), sweep::kSweeps))
    names += fmt::format("\n{}: {}", entry.name, entry.title);
  command.option("NAME", options->name, names).required();
  command.option("--out", options->out, "folder for results (default out/NAME)");
  command.option("--jobs", options->jobs, "number of runs in parallel").between(1, 1024).shows_default();
  add_plugin_option(command);
  command.option("--set", options->overrides, "KEY=VALUE for all runs, may be repeated").repeats();
  command.option("--report", options->report, "write an HTML page with charts of all points to this file");
  for (const char* const axis :
       {"layer", "machine", "size", "gemm", "available", "layout", "tile", "unit", "design"})
    command.option_calls<std::string>(
        fmt::format("--{}{}", axis, std::string_view(axis) == "available" ? "" : "s"),
        [options, axis](const std::string& text) { options->chosen[axis] = words_of(text); },
        fmt::format("only these values of the axis {}: A,B,C", axis));
  command.flag("--measure", options->measures,
               fmt::format("for {}: also simulate a part of each layer and show its traffic",
                           experiment::kRequiredBandwidth));
  command.action([options](const std::vector<std::string>&) {
    if (options->name == experiment::kRequiredBandwidth) return run_required_bandwidth(*options);
    if (options->measures)
      throw input::UserError(fmt::format("--measure applies to {} only; sweeps simulate all their points",
                                         experiment::kRequiredBandwidth));
    serve_children();
    return run_experiment(*options);
  });
}

}  // namespace

void add_experiment_command(CommandLine& line) {
  line.add("experiment", "run the points of a sweep as a table, with published values",
           options_of_experiment);
}

}  // namespace spica::cli
