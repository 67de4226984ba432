// SPDX-License-Identifier: Apache-2.0
// `spica explain RUN`: which steps to better hardware, or to another program, would help a run most.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "platform/base/input/number_text.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/base/text/number_format.h"
#include "platform/cli/commands.h"
#include "platform/cli/paths.h"
#include "platform/cli/plugin_option.h"
#include "platform/cli/sweep_command.h"
#include "platform/observe/report/text_table.h"
#include "platform/studies/sweep/neighbours.h"
#include "platform/studies/sweep/open_sweep.h"

namespace spica::cli {

namespace {

struct ExplainOptions {
  std::string run;
  std::filesystem::path folder;  // that it names
  std::string point;
  sweep::NeighbourhoodOptions search;
  bool json = false;
  unsigned jobs = default_jobs();
  double percent = 0.5;
};

json::Value cost_json(const sweep::RunCost& cost) {
  json::Value all{{"cycles", cost.cycles}, {"time_us", cost.microseconds}};
  if (cost.energy_uj) all["total_energy_uj"] = *cost.energy_uj;
  if (cost.area_mm2) all["area_mm2"] = *cost.area_mm2;
  return all;
}

json::Value step_json(const sweep::Step& step) {
  return {{"key", step.key},
          {"value", step.value},
          {"tried", step.tried},
          {"set", step.overrides},
          {"kind", step.direction == sweep::Direction::kChoice ? "program" : "hardware"}};
}

json::Value neighbourhood_json(const sweep::Neighbourhood& found) {
  json::Value result = cost_json(found.itself.cost);
  result.update({{"parameters", found.parameters},
                 {"runs", found.runs},
                 {"noise", {{"gain", found.noise}, {"set", found.noise_from}, {"runs", found.noise_runs}}},
                 {"time_by_part", found.itself.parts},
                 {"channels", found.itself.channels}});
  if (!found.itself.no_energy.empty()) result["no_energy"] = found.itself.no_energy;
  for (const auto& [name, list] : {std::pair{"found", &found.found}, {"program", &found.of_program}}) {
    result[name] = json::Value::array();
    for (const sweep::Neighbour& one : *list) {
      json::Value row = step_json(one.step);
      row.update(cost_json(one.cost));
      row["gain"] = one.gain(found.itself.cost);
      result[name].push_back(std::move(row));
    }
  }
  result["refused"] = json::Value::array();
  for (const sweep::Step& step : found.refused) {
    result["refused"].push_back(step_json(step));
    result["refused"].back()["reason"] = step.refused;
  }
  result["tried"] = found.tried;
  result["without_effect"] = found.without_effect;
  result["not_tried"] = found.not_tried;
  return result;
}

/// Change in percent; nothing: one of them is not known.
std::string change(const std::optional<double>& value, const std::optional<double>& before, int digits) {
  if (!value || !before || *before <= 0) return "";
  return fmt::format("{:+.{}f} %", 100 * (*value / *before - 1), digits);
}

/// "cluster.dcache.mshrs = 18 with mshr_requests = 18": what follows, without the group that both are in.
std::string followers(const sweep::Step& step) {
  std::string text;
  for (std::size_t i = 1; i < step.overrides.size(); ++i) text += " with " + step.overrides[i];
  return text;
}

void print_steps(const char* title, const std::vector<sweep::Neighbour>& list, const sweep::RunCost& before) {
  if (list.empty()) return;
  using Align = report::TextTable::Align;
  report::TextTable table({{"parameter"},
                           {"value", Align::kRight},
                           {"tried", Align::kRight},
                           {"", Align::kLeft},
                           {"cycles", Align::kRight},
                           {"time saved", Align::kRight},
                           {"energy", Align::kRight},
                           {"area", Align::kRight}});
  for (const sweep::Neighbour& one : list)
    table.add({one.step.key, one.step.value, one.step.tried, one.step.unit + followers(one.step),
               text::grouped(one.cost.cycles), fmt::format("{:+.1f} %", 100 * one.gain(before)),
               change(one.cost.energy_uj, before.energy_uj, 1),
               change(one.cost.area_mm2, before.area_mm2, 2)});
  fmt::print("\n{}\n{}", title, table.text());
}

/// The largest gains: "a = 1 instead of 2 (3.4 %), b ...".
std::string list_of(const std::vector<sweep::Neighbour>& good, const sweep::RunCost& before) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> keys, parts;
  for (const sweep::Neighbour& one : good) {
    if (keys.size() == kMost) break;
    if (std::find(keys.begin(), keys.end(), one.step.key) != keys.end()) continue;
    keys.push_back(one.step.key);
    parts.push_back(fmt::format("{} = {} instead of {}{} ({:.1f} %)", one.step.key, one.step.tried,
                                one.step.value, followers(one.step), 100 * one.gain(before)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

void print_headline(const sweep::Neighbourhood& found, double threshold) {
  const auto hardware = found.advice(found.found, threshold),
             program = found.advice(found.of_program, threshold);
  const std::size_t tried = found.tried.size() + found.without_effect.size();
  if (!hardware.empty())
    fmt::print("What would help most{}: {}.\n",
               found.not_tried.empty() ? "" : fmt::format(" of the {} parameters that were tried", tried),
               list_of(hardware, found.itself.cost));
  else
    fmt::print(
        "No single hardware improvement that is invisible to the program saves more than {:.1f} % of the time.\n",
        100 * std::max(found.noise, threshold));
  if (!program.empty())
    fmt::print("With the program made for the machine: {}.\n", list_of(program, found.itself.cost));
}

/// "matrix_units 83 %, main_memory 9 %".
std::string shares_text(const std::map<std::string, double>& shares, double least) {
  std::vector<std::pair<std::string, double>> sorted(shares.begin(), shares.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> parts;
  for (const auto& [name, share] : sorted)
    if (share >= least) parts.push_back(fmt::format("{} {:.0f} %", name, 100 * share));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Parameters by group: "l2 (4), main_memory.dram (7)".
std::string by_group(const std::vector<std::string>& keys) {
  std::map<std::string, unsigned> counts;
  for (const std::string& key : keys) {
    const std::size_t dot = key.rfind('.');
    ++counts[dot == std::string::npos ? key : key.substr(0, dot)];
  }
  std::vector<std::string> parts;
  for (const auto& [group, count] : counts)
    parts.push_back(count == 1 ? group : fmt::format("{} ({})", group, count));
  return fmt::format("{}", fmt::join(parts, ", "));
}

void print_noise(const sweep::Neighbourhood& found) {
  if (found.noise > 0)
    fmt::print(
        "noise: {} is worse hardware and saves {:.2f} % of the time: ignore smaller gains ({} worse machines)\n",
        fmt::join(found.noise_from, " "), 100 * found.noise, found.noise_runs);
  else if (found.noise_runs > 0) fmt::print("noise: none of {} worse machines is faster\n", found.noise_runs);
}

/// The reason as far as it fits into a line or two; all of it is in the JSON.
std::string shortened(const std::string& reason) {
  constexpr std::size_t kMost = 160;
  std::string text = input::printable(reason);
  if (text.size() <= kMost) return text;
  return text.substr(0, text.rfind(' ', kMost)) + " ...";
}

void print_what_was_tried(const sweep::Neighbourhood& found, double percent) {
  fmt::print("\n{} runs; steps that change time by less than {:g} % are not shown\n", found.runs, percent);
  print_noise(found);
  fmt::print("tried one by one: {} parameters in {}\n", found.tried.size(), by_group(found.tried));
  if (!found.without_effect.empty())
    fmt::print("tried together, without effect: {} in {}\n", found.without_effect.size(),
               by_group(found.without_effect));
  if (!found.not_tried.empty())
    fmt::print("not tried: {} in {}; --budget {} is enough\n", found.not_tried.size(),
               by_group(found.not_tried), found.enough);
  for (const sweep::Step& step : found.refused)
    fmt::print("not possible: {} = {}: {}\n", step.key, step.tried, shortened(step.refused));
  if (!found.itself.no_energy.empty())
    fmt::print("no energy: {}\n", input::printable(found.itself.no_energy));
}

std::vector<std::string> words_of(const ExplainOptions& options) {
  if (options.point.empty()) return sweep::run_again_of(options.folder);
  const std::optional<std::uint64_t> number = input::parse_number(options.point);
  if (!number)
    throw input::UserError(fmt::format("'{}' is not a point number", input::printable(options.point)));
  const sweep::OpenSweep open(options.run, "", places());
  return sweep::run_again(sweep::command_of(open.sweep(), open.point(*number), 0));
}

int run_explain(const ExplainOptions& options) {
  sweep::NeighbourhoodOptions search = options.search;
  search.jobs = options.jobs;
  search.threshold = options.percent / 100;
  const std::vector<std::string> words = words_of(options);
  const sweep::Neighbourhood found = sweep::neighbourhood(words, configs_dir(), search);
  if (options.json) {
    fmt::print("{}\n", neighbourhood_json(found).dump(2));
    return 0;
  }
  const sweep::Itself& itself = found.itself;
  fmt::print("{}{} takes {} cycles ({:.1f} us). ",
             options.point.empty() ? "" : fmt::format("point {} of ", options.point),
             input::printable(options.run), text::grouped(itself.cost.cycles), itself.cost.microseconds);
  print_headline(found, search.threshold);
  constexpr double kLeast = 0.01;
  fmt::print("time by part   {}\nchannels       {}\n", shares_text(itself.parts, kLeast),
             shares_text(itself.channels, 0));
  print_steps("Hardware improvements that are invisible to the program", found.found, itself.cost);
  print_steps(
      words[0] == "run" || words[0] == "stream"
          ? "Steps that the program sees; one that does not come with Spica runs as it is, and no result is checked"
          : "Steps that the program sees, made for each of these machines",
      found.of_program, itself.cost);
  print_what_was_tried(found, options.percent);
  return 0;
}

void options_of_explain(Command& command) {
  auto options = std::make_shared<ExplainOptions>();
  command.option("RUN", options->run, "folder from --out of a run; with --point a sweep").required();
  command.option("--point", options->point, "number of a point of the sweep RUN (file, name or folder)");
  command.option("--budget", options->search.budget, "maximum number of runs").shows_default();
  command.option("--jobs", options->jobs, "number of runs in parallel").between(1, 1024).shows_default();
  command.option("--threshold", options->percent, "smallest time change to show, in percent").shows_default();
  command.flag("--json", options->json, "print JSON");
  add_plugin_option(command);
  command.action([options](const std::vector<std::string>&) {
    options->folder = std::filesystem::absolute(options->run);
    if (options->point.empty()) work_in(sweep::folder_of_run(options->folder));
    serve_children();
    return run_explain(*options);
  });
}

}  // namespace

void add_explain_command(CommandLine& line) {
  line.add("explain", "find the parameters that help a run most, by running its neighbours",
           options_of_explain);
}

}  // namespace spica::cli
