// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/run_again.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "platform/base/config/option_name.h"
#include "platform/base/input/temporary_folder.h"
#include "platform/base/input/user_error.h"
#include "platform/base/json/parse.h"
#include "platform/observe/report/provenance.h"
#include "platform/run/child_process.h"
#include "platform/run/job_options.h"
#include "platform/workloads/workload.h"

namespace spica::sweep {

namespace {

/// Options about where results go, and those that add some: "--out", and whether they have a value.
std::map<std::string, bool> looking(const workloads::Kind& kind) {
  std::map<std::string, bool> all;
  const auto add = [&](const config::Field& option) {
    const bool has_value = option.kind != config::Field::Kind::kBool;
    all[config::option_name(option.name)] = has_value;
    if (!option.letter.empty()) all["-" + option.letter] = has_value;
    for (const std::string& name : option.earlier) all[config::option_name(name)] = has_value;
  };
  job::JobOptions options;
  for (const config::Field& group : job::describe_options(options))
    for (const config::Field& option : group.children)
      if (option.concern != config::Concern::kRun) add(option);
  const auto workload = kind.make({});
  for (const config::Field& option : workload->outputs().children) add(option);
  return all;
}

}  // namespace

std::vector<std::string> run_again(const std::vector<std::string>& words) {
  const auto& kinds = workloads::kinds();
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const workloads::Kind& one) {
    return !words.empty() && one.name == words[0];
  });
  if (kind == kinds.end() || kind->is_hosted)
    throw input::UserError("only runs of gemm, attention, run, stream and concurrent can be explained");
  const std::map<std::string, bool> left_out = looking(*kind);
  std::vector<std::string> again;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto known = left_out.find(words[i].substr(0, words[i].find('=')));
    if (known == left_out.end()) again.push_back(words[i]);
    else if (known->second && known->first == words[i]) ++i;  // its value is the next word
  }
  return again;
}

std::vector<std::string> run_again_of(const std::filesystem::path& folder) {
  const auto stats = json::read_file((folder / "stats.json").string());
  const auto origin = stats ? stats->find("provenance") : json::Value::const_iterator();
  if (!stats || origin == stats->end() || !origin->contains("command_line"))
    throw input::UserError(fmt::format(
        "{} has no stats.json with a command line; a folder that --out wrote is expected, or a sweep with --point N",
        folder.string()));
  std::vector<std::string> words = report::shell_words(origin->at("command_line").get<std::string>());
  if (!words.empty()) words.erase(words.begin());
  return run_again(words);
}

std::filesystem::path folder_of_run(const std::filesystem::path& folder) {
  const auto stats = json::read_file((folder / "stats.json").string());
  const auto origin = stats ? stats->find("provenance") : json::Value::const_iterator();
  std::error_code ignored;
  if (stats && origin != stats->end() && origin->contains("folder")) {
    const std::filesystem::path there = folder / origin->at("folder").get<std::string>();
    if (std::filesystem::is_directory(there, ignored)) return std::filesystem::canonical(there, ignored);
  }
  return std::filesystem::current_path();
}

namespace {

std::optional<double> number(const json::Value& record, const char* name) {
  const auto found = record.find(name);
  if (found == record.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

RunCost cost_of(const json::Value& record, double mhz) {
  RunCost cost;
  cost.cycles = record.value("cycles", std::uint64_t{0});
  cost.microseconds = mhz > 0 ? static_cast<double>(cost.cycles) / mhz : 0;
  cost.energy_uj = number(record, "total_energy_uj");
  cost.area_mm2 = number(record, "area_mm2");
  return cost;
}

job::ChildJob child_of(const std::vector<std::string>& words) {
  job::ChildJob child;
  child.arguments = words;
  child.arguments.insert(child.arguments.end(), {"--record", "/dev/fd/3"});
  child.captures = true;
  return child;
}

/// Why it has no result; empty: it has.
std::string problem_of(const job::ChildResult& result, std::optional<json::Value>& record) {
  record = json::parse(result.record);
  if (result.exit_code == 0 && record && record->is_object()) return "";
  std::string said = job::first_message(result.errors);
  constexpr std::string_view kSaidBy = "spica: ";
  if (said.rfind(kSaidBy, 0) == 0) said.erase(0, kSaidBy.size());
  if (!said.empty() && said.back() == '.') said.pop_back();
  if (!said.empty()) return said;
  if (record && record->is_object() && record->contains("verified") && record->at("verified") == false)
    return "its result is wrong";
  return fmt::format("exit code {}", result.exit_code);
}

}  // namespace

void run_trials(const std::vector<std::string>& words, std::vector<Trial>& trials, unsigned jobs) {
  std::vector<job::ChildJob> children;
  for (const Trial& trial : trials) {
    std::vector<std::string> all = words;
    for (const std::string& one : trial.overrides) all.insert(all.end(), {"--set", one});
    children.push_back(child_of(all));
  }
  const std::vector<job::ChildResult> results = job::run_all(jobs, children);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    std::optional<json::Value> record;
    trials[i].refused = problem_of(results[i], record);
    if (trials[i].refused.empty()) trials[i].cost = cost_of(*record, trials[i].mhz);
  }
}

namespace {

std::map<std::string, double> numbers(const json::Value& stats, const char* name) {
  std::map<std::string, double> all;
  if (const auto found = stats.find(name); found != stats.end() && found->is_object())
    for (const auto& [key, value] : found->items())
      if (value.is_number()) all[key] = value.get<double>();
  return all;
}

}  // namespace

Itself run_itself(const std::vector<std::string>& words) {
  const auto scratch = std::make_shared<const input::TemporaryFolder>(
      (std::filesystem::temp_directory_path() / "spica-explain").string());
  if (!scratch->problem().empty())
    throw input::UserError("cannot create a folder for temporary files: " + scratch->problem());
  const std::string out = (scratch->path() / "run").string();
  Itself itself;
  std::optional<json::Value> record;
  std::string problem;
  for (const char* measures : {"--energy", "--area", ""}) {
    itself.words = words;
    if (*measures != 0) itself.words.emplace_back(measures);
    std::vector<std::string> with_files = itself.words;
    with_files.insert(with_files.end(), {"--out", out});
    problem = problem_of(job::run_child(child_of(with_files)), record);
    if (problem.empty()) break;
    if (itself.no_energy.empty()) itself.no_energy = problem;
  }
  if (!problem.empty())
    throw input::UserError(
        fmt::format("the run cannot be repeated: {} (files on its command line are relative to {})", problem,
                    std::filesystem::current_path().string()));
  if (record->value("mode", "") == "fast")
    throw input::UserError("the fast mode has no times to explain; re-run in the cycle mode");
  const auto stats = json::read_file(out + "/stats.json");
  if (!stats || !stats->contains("machine"))
    throw input::UserError("the run cannot be repeated: it wrote no stats.json");
  itself.mhz = stats->at("machine").value("clock_mhz", 0.0);
  itself.cost = cost_of(*record, itself.mhz);
  itself.config = out + "/config.yaml";
  itself.files = scratch;
  itself.parts = numbers(*stats, "time_by_part");
  itself.channels = numbers(*stats, "channels");
  return itself;
}

}  // namespace spica::sweep
