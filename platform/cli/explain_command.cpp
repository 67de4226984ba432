// SPDX-License-Identifier: Apache-2.0
// `spica explain RUN`: which parameters of its machine would help a run most.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "platform/cli/commands.h"
#include "platform/cli/paths.h"
#include "platform/cli/plugin_option.h"
#include "platform/cli/sweep_command.h"
#include "platform/input/printable.h"
#include "platform/loader/number_text.h"
#include "platform/loader/user_error.h"
#include "platform/report/number_format.h"
#include "platform/report/text_table.h"
#include "platform/sweep/neighbours.h"

namespace spica::cli {

namespace {

struct ExplainOptions {
  std::string run;
  std::string point;
  sweep::NeighbourhoodOptions search;
  bool json = false;
  unsigned jobs = default_jobs();
  double percent = 0.5;
};

json::Value neighbourhood_json(const sweep::Neighbourhood& found) {
  json::Value result{{"cycles", found.cycles},
                     {"parameters", found.parameters},
                     {"runs", found.runs},
                     {"jitter", found.jitter}};
  if (found.energy_uj) result["active_energy_uj"] = *found.energy_uj;
  if (found.area_mm2) result["area_mm2"] = *found.area_mm2;
  result["found"] = json::Value::array();
  for (const sweep::Neighbour& one : found.found) {
    json::Value row{{"key", one.key},
                    {"value", one.value},
                    {"tried", one.tried},
                    {"cycles", one.cycles},
                    {"gain", one.gain(found.cycles)}};
    if (one.energy_uj) row["active_energy_uj"] = *one.energy_uj;
    if (one.area_mm2) row["area_mm2"] = *one.area_mm2;
    result["found"].push_back(std::move(row));
  }
  result["without_effect"] = found.without_effect;
  result["not_tried"] = found.not_tried;
  return result;
}

/// Change in percent; nothing: one of them is not known.
std::optional<double> change(const std::optional<double>& value, const std::optional<double>& before) {
  if (!value || !before || *before <= 0) return std::nullopt;
  return 100 * (*value / *before - 1);
}

void print_neighbours(const sweep::Neighbourhood& found) {
  using Align = report::TextTable::Align;
  report::TextTable table({{"parameter"},
                           {"value", Align::kRight},
                           {"tried", Align::kRight},
                           {"", Align::kLeft},
                           {"cycles", Align::kRight},
                           {"gain", Align::kRight},
                           {"energy", Align::kRight},
                           {"area", Align::kRight}});
  for (const sweep::Neighbour& one : found.found) {
    const auto energy = change(one.energy_uj, found.energy_uj), area = change(one.area_mm2, found.area_mm2);
    table.add({one.key, std::to_string(one.value), std::to_string(one.tried), one.unit,
               report::grouped(one.cycles), fmt::format("{:+.1f} %", 100 * one.gain(found.cycles)),
               energy ? fmt::format("{:+.1f} %", *energy) : "", area ? fmt::format("{:+.2f} %", *area) : ""});
  }
  fmt::print("\n{}", table.text());
}

/// The largest gain of each of three parameters.
std::string best_sentence(const sweep::Neighbourhood& found) {
  std::vector<std::string> keys, parts;
  for (const sweep::Neighbour& one : found.found) {
    if (one.gain(found.cycles) <= found.jitter || keys.size() == 3) break;
    if (std::find(keys.begin(), keys.end(), one.key) != keys.end()) continue;
    keys.push_back(one.key);
    parts.push_back(fmt::format("{} = {} instead of {} ({:.1f} %)", one.key, one.tried, one.value,
                                100 * one.gain(found.cycles)));
  }
  if (found.parameters == found.not_tried.size())
    return fmt::format("The budget of {} runs is too small to try any parameter by itself.", found.runs);
  const std::string of_some =
      found.not_tried.empty()
          ? ""
          : fmt::format(" of the {} parameters that were tried", found.parameters - found.not_tried.size());
  if (parts.empty())
    return !of_some.empty()   ? fmt::format("No single step{} makes it faster.", of_some)
           : found.jitter > 0 ? "No single step helps by more than another order of events does."
                              : "No single step makes it faster.";
  return fmt::format("What would help most{}: {}.", of_some, fmt::join(parts, ", "));
}

sweep::RunAgain run_of(const ExplainOptions& options) {
  if (options.point.empty()) return sweep::run_again_of(options.run, configs_dir());
  const std::optional<std::uint64_t> number = loader::parse_number(options.point);
  if (!number)
    throw loader::UserError(fmt::format("'{}' is no number of a point", input::printable(options.point)));
  const OpenSweep open(options.run, "");
  return sweep::run_again(sweep::command_of(open.sweep(), open.point(*number), 0), configs_dir());
}

int run_explain(const ExplainOptions& options) {
  sweep::NeighbourhoodOptions search = options.search;
  search.jobs = options.jobs;
  search.threshold = options.percent / 100;
  const sweep::Neighbourhood found = sweep::neighbourhood(run_of(options), configs_dir(), search);
  if (options.json) {
    fmt::print("{}\n", neighbourhood_json(found).dump(2));
    return 0;
  }
  fmt::print("{}{} takes {} cycles. {}\n",
             options.point.empty() ? "" : fmt::format("point {} of ", options.point),
             input::printable(options.run), report::grouped(found.cycles), best_sentence(found));
  print_neighbours(found);
  fmt::print(
      "\n{} parameters, {} runs; a step changes the cycles by less than {:g} % where nothing is shown\n",
      found.parameters, found.runs, options.percent);
  if (found.jitter > 0)
    fmt::print(
        "a longer latency, which by itself can only cost, gains up to {:.1f} %: so much is the order of events; smaller gains say nothing\n",
        100 * found.jitter);
  if (!found.not_tried.empty())
    fmt::print("{} parameters were not tried; --budget {} would do\n", found.not_tried.size(),
               found.runs + 2 * found.not_tried.size());
  return 0;
}

void options_of_explain(Command& command) {
  auto options = std::make_shared<ExplainOptions>();
  command
      .option("RUN", options->run, "folder that --out of gemm, attention or run wrote; with --point a sweep")
      .required();
  command.option("--point", options->point,
                 "number of a point of the sweep that RUN names, by file, name or folder");
  command.option("--budget", options->search.budget, "at most so many runs").shows_default();
  command.option("--jobs", options->jobs, "number of runs in parallel").between(1, 1024).shows_default();
  command.option("--threshold", options->percent, "smallest change of cycles to show, in percent")
      .shows_default();
  command.flag("--json", options->json, "print JSON");
  add_plugin_option(command);
  command.action([options](const std::vector<std::string>&) {
    serve_children();
    return run_explain(*options);
  });
}

}  // namespace

void add_explain_command(CommandLine& line) {
  line.add("explain", "find the parameters that would help a run most, by running its neighbours",
           options_of_explain);
}

}  // namespace spica::cli
