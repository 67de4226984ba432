// SPDX-License-Identifier: Apache-2.0
#include "platform/experiment/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "platform/input/printable.h"
#include "platform/job/child_process.h"
#include "platform/job/record.h"
#include "platform/json/parse.h"
#include "platform/loader/number_text.h"
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
/// stats.json; `counter`: BLOCK.COUNTER, with * in it.
std::uint64_t sum_of(const json::Value& stats, const std::string& counter) {
  const json::Value sum = job::kept_value(stats, "sum(stats.*." + counter + ")");
  return sum.is_number() ? sum.get<std::uint64_t>() : 0;
}

constexpr const char* kSamplesFile = "samples.bin";

/// What a run says in its stats.json.
void read_statistics(const json::Value& stats, const fs::path& folder, CellResult& result) {
  const auto verified = stats.find("verified");
  result.verified = verified != stats.end() && verified->is_boolean() && verified->get<bool>();
  result.cycles = stats.value("cycles", std::uint64_t{0});
  if (const auto share = stats.find("utilisation"); share != stats.end() && share->is_number())
    result.utilisation = share->get<double>();
  result.instructions = stats.value("instructions", std::uint64_t{0});
  if (const auto blocks = stats.find("stats"); blocks != stats.end()) {
    const auto sum = [&](const char* counter) { return sum_of(*blocks, counter); };
    result.warp_instructions = sum("*.warp_instructions");
    result.register_file_accesses = sum("*.register_reads") + sum("*.register_writes");
    result.shared_memory_bytes = 4 * (sum("*.bank_*_words_read") + sum("*.bank_*_words_written"));
    result.register_rows = sum("warp_tensor_core*.rows_read") + sum("warp_tensor_core*.rows_written");
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

/// The share of the multiply-adds that the units which did the most of them could have done.
double busiest_units(const json::Value& stats) {
  std::uint64_t macs = 0, most = 0;
  for (const json::Value& unit : stats.at("machine").at("units")) {
    if (unit.at("macs").get<std::uint64_t>() <= macs) continue;
    macs = unit.at("macs").get<std::uint64_t>();
    most = unit.at("macs_per_cycle").get<std::uint64_t>() * stats.at("cycles").get<std::uint64_t>();
  }
  return most == 0 ? 0 : static_cast<double>(macs) / static_cast<double>(most);
}

/// What a program said in lines of "name: number". "cycles" is known already.
void read_console(const fs::path& file, json::Value& columns) {
  static const std::regex line_of_column(R"(([a-z][a-z0-9_]*): (-?\d+(\.\d+)?))");
  std::ifstream stream(file);
  std::smatch match;
  for (std::string line; std::getline(stream, line);) {
    if (!std::regex_match(line, match, line_of_column) || match[1] == "cycles") continue;
    if (match[3].matched) columns[match[1]] = std::stod(match[2]);
    else columns[match[1]] = std::stoll(match[2]);
  }
}

/// A run of a program is good when it ends so.
void read_program(const Experiment& experiment, const ProgramCell& cell, const fs::path& folder,
                  CellResult& result) {
  for (std::size_t i = 0; i < experiment.axes.size(); ++i) {
    const Axis& axis = experiment.axes[i];
    const auto number =
        axis.argument == ArgumentKind::kNumber ? loader::parse_number(cell.values[i]) : std::nullopt;
    const std::string& value = cell.values[i];
    result.columns[axis.name] = number                                ? json::Value(*number)
                                : value == "true" || value == "false" ? json::Value(value == "true")
                                                                      : json::Value(value);
  }
  read_console(folder / "console.txt", result.columns);
  if (experiment.samples.most != 0 && result.columns.contains("samples"))
    add_samples(folder / kSamplesFile, result.columns.value("samples", std::uint64_t{0}), result.columns);
  result.verified = result.error.empty();
  if (const auto stats = json::read_file((folder / "stats.json").string()))
    result.utilisation = busiest_units(*stats);
}

/// What the program of a cell is called with.
std::vector<std::string> command_of(const Experiment& experiment, std::size_t index, const fs::path& folder,
                                    const KernelPath& kernel_path) {
  if (experiment.program.empty()) {
    const Cell cell = experiment.cells()[index];
    std::vector<std::string> command{"gemm", "--design", experiment.design(cell.design).given, "--size",
                                     cell.size};
    if (experiment.energy) command.push_back("--energy");
    return command;
  }
  const ProgramCell& cell = experiment.program_cells[index];
  std::vector<std::string> command{"run", cell.config, kernel_path(experiment.program)};
  if (!cell.arguments.empty()) command.insert(command.end(), {"--args", cell.arguments});
  if (experiment.samples.most != 0)
    command.insert(command.end(), {"--save", fmt::format("{}@{:#x}+{}", (folder / kSamplesFile).string(),
                                                         experiment.samples.address,
                                                         experiment.samples.most * sizeof(std::uint32_t))});
  return command;
}

CellResult read_result(const Cell& cell, const fs::path& folder, const job::ChildResult& child,
                       bool is_program) {
  CellResult result;
  result.cell = cell;
  result.folder = folder;
  if (const auto stats = json::read_file((folder / "stats.json").string()))
    read_statistics(*stats, folder, result);
  if (child.exit_code == job::ChildResult::kNotStarted) {
    result.error = "not run";
  } else if (child.exit_code != 0 || !(result.verified || is_program)) {
    result.verified = false;
    result.error = fmt::format("exit code {}: {}", child.exit_code, first_line(folder / "errors.txt"));
  }
  return result;
}

}  // namespace

std::optional<workloads::Published> published(const Experiment& experiment, const Cell& cell) {
  if (!experiment.program.empty()) return std::nullopt;
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
                                       const std::vector<std::string>& overrides,
                                       const KernelPath& kernel_path, bool show_progress) {
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
    std::vector<std::string> arguments = command_of(experiment, lists.size(), folder, kernel_path);
    arguments.insert(arguments.end(), {"--out", folder.string()});
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
  const bool is_program = !experiment.program.empty();
  for (std::size_t i = 0; i < children.size(); ++i) {
    results.push_back(read_result(cells[i], folders[i], children[i], is_program));
    if (is_program) read_program(experiment, experiment.program_cells[i], folders[i], results.back());
  }
  return results;
}

}  // namespace spica::experiment
