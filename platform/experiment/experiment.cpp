// SPDX-License-Identifier: Apache-2.0
#include "platform/experiment/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "platform/input/printable.h"
#include "platform/job/child_process.h"
#include "platform/json/parse.h"
#include "platform/loader/user_error.h"
#include "platform/report/progress_line.h"
#include "platform/soc/soc_config.h"
#include "platform/workloads/gemm_design.h"

namespace spica::experiment {

namespace {

namespace fs = std::filesystem;

/// The reason a child gave on its error output: the first line that says something.
std::string first_line(const fs::path& file) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);)
    if (!line.empty()) return input::printable(line);
  return "no message";
}

/// A counter over all blocks of the clusters that have it, in the timed region when there is one. `stats`: "stats" of
/// stats.json.
std::uint64_t sum_of(const json::Value& stats, const char* counter) {
  std::uint64_t sum = 0;
  for (const auto& [cluster, blocks] : stats.items()) {
    for (const auto& [block, counters] : blocks.items()) {
      if (!counters.contains(counter)) continue;
      const auto& entry = counters.at(counter);
      sum += entry.value("in_region", entry.value("value", std::uint64_t{0}));
    }
  }
  return sum;
}

/// What a run says in its stats.json.
void read_statistics(const json::Value& stats, const fs::path& folder, CellResult& result) {
  result.verified = stats.value("verified", false);
  result.cycles = stats.value("cycles", std::uint64_t{0});
  if (const auto share = stats.find("utilisation"); share != stats.end() && share->is_number())
    result.utilisation = share->get<double>();
  result.instructions = stats.value("instructions", std::uint64_t{0});
  if (const auto blocks = stats.find("stats"); blocks != stats.end()) {
    result.warp_instructions = sum_of(*blocks, "warp_instructions");
    result.register_file_accesses = sum_of(*blocks, "register_reads") + sum_of(*blocks, "register_writes");
  }
  result.host_seconds = stats.value("host_seconds", 0.0);
  if (const auto from = stats.find("provenance"); from != stats.end())
    if (const auto names = from->find("program_compilers"); names != from->end() && !names->empty())
      result.compiler = names->front().get<std::string>();
  result.energy = read_energy(folder);
  if (!result.energy) return;
  result.warp_instructions = result.energy->warp_instructions;
  result.register_file_accesses = result.energy->register_file_accesses;
}

CellResult read_result(const Cell& cell, const fs::path& folder, const job::ChildResult& child) {
  CellResult result;
  result.cell = cell;
  result.folder = folder;
  if (const auto stats = json::read_file((folder / "stats.json").string()))
    read_statistics(*stats, folder, result);
  if (child.exit_code == job::ChildResult::kNotStarted) {
    result.error = "not run";
  } else if (child.exit_code != 0 || !result.verified) {
    result.verified = false;
    result.error = fmt::format("exit code {}: {}", child.exit_code, first_line(folder / "errors.txt"));
  }
  return result;
}

}  // namespace

std::optional<workloads::Published> published(const Experiment& experiment, const Cell& cell) {
  const std::string size = workloads::sizes_text(workloads::parse_gemm_sizes(cell.size));
  for (const workloads::Published& one : experiment.design(cell.design).published)
    if (workloads::sizes_text(workloads::parse_gemm_sizes(one.size)) == size) return one;
  return std::nullopt;
}

std::vector<std::string> unpublished_keys(const Experiment& experiment,
                                          const std::vector<std::string>& overrides,
                                          const std::filesystem::path& configs_dir) {
  const auto values = [&](const std::string& config, const std::vector<std::string>& with) {
    const config::Source source = config::load(config, with, configs_dir);
    soc::SocParams params;
    config::apply(source, params);
    std::vector<std::pair<std::string, std::string>> result;
    for (const config::EffectiveValue& value : config::effective(params, source)) {
      const bool of_run = value.key.rfind("run.", 0) == 0 && value.key != "run.mode";
      if (!of_run && value.key.rfind("power.", 0) != 0) result.emplace_back(value.key, value.text);
    }
    return result;
  };
  std::vector<std::string> keys;
  for (const Cell& cell : experiment.cells()) {
    if (!published(experiment, cell)) continue;
    const std::string& config = experiment.design(cell.design).config;
    const auto own = values(config, {});
    for (const auto& value : values(config, overrides))
      if (std::find(own.begin(), own.end(), value) == own.end() &&
          std::find(keys.begin(), keys.end(), value.first) == keys.end())
        keys.push_back(value.first);
  }
  return keys;
}

std::vector<CellResult> run_experiment(const Experiment& experiment, const std::string& out, unsigned jobs,
                                       const std::vector<std::string>& overrides, bool show_progress) {
  std::vector<std::vector<std::string>> lists;
  std::vector<std::string> errors;
  std::vector<fs::path> folders;
  const std::vector<Cell> cells = experiment.cells();
  for (const Cell& cell : cells) {
    const fs::path folder = fs::path(out) / fmt::format("{}-{}", cell.design, cell.size);
    std::error_code error;
    for (const char* name : {"stats.json", "energy.json"})
      fs::remove(folder / name, error);  // never read the results of an older run
    fs::create_directories(folder, error);
    if (error)
      throw loader::UserError(fmt::format("cannot create folder {}: {}", folder.string(), error.message()));
    folders.push_back(folder);
    errors.push_back((folder / "errors.txt").string());
    std::vector<std::string> arguments{"gemm",         "--design", experiment.design(cell.design).given,
                                       "--size",       cell.size,  "--out",
                                       folder.string()};
    if (experiment.energy) arguments.push_back("--energy");
    for (const std::string& one : overrides) {
      arguments.push_back("--set");
      arguments.push_back(one);
    }
    lists.push_back(arguments);
  }
  report::ProgressLine progress;
  const auto show = [&](std::size_t done) {
    if (show_progress) progress.show([&] { return fmt::format("{} of {} cells done", done, lists.size()); });
  };
  const std::vector<job::ChildResult> children = job::run_self_many(lists, jobs, errors, show);
  progress.clear();

  std::vector<CellResult> results;
  for (std::size_t i = 0; i < children.size(); ++i)
    results.push_back(read_result(cells[i], folders[i], children[i]));
  return results;
}

}  // namespace spica::experiment
