// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/microbench/microbench.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "platform/base/input/file.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/base/json/parse.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/observe/report/progress_line.h"
#include "platform/run/child_process.h"

namespace spica::microbench {

namespace {

namespace fs = std::filesystem;

/// A configuration the rows of a group run on.
struct Machine {
  std::string name;
  std::string config;
  soc::SocParams params;
};

soc::SocParams effective(const std::string& config, const MicrobenchOptions& options) {
  return config::read<soc::SocParams>(config::load(config, options.overrides, options.configs_dir));
}

/// Absolute path of a configuration that can be loaded.
fs::path config_file(const MicrobenchOptions& options) {
  const fs::path named = fs::path(options.configs_dir) / (options.config + ".yaml");
  const fs::path file = options.config;
  return fs::absolute(file.has_extension() && fs::exists(file) ? file : named);
}

/// The user's configuration with an isolating one on top, as a file in the output folder.
std::string isolated_config(const MicrobenchOptions& options, const std::string& isolation,
                            const std::string& name) {
  const fs::path over = fs::absolute(fs::path(options.configs_dir) / "isolate" / (isolation + ".yaml"));
  const fs::path path = fs::path(options.out) / "configs" / (name + ".yaml");
  const std::string text = fmt::format(
      "# {} with all blocks nearly ideal but one\nextends: [{}, {}]\n", input::printable(options.config),
      config::quoted_value(config_file(options).string()), config::quoted_value(over.string()));
  input::write_text(path.string(), text);
  return path.string();
}

std::vector<const MicrobenchGroup*> chosen_groups(const std::vector<std::string>& names) {
  std::vector<const MicrobenchGroup*> chosen;
  for (const MicrobenchGroup& group : microbench_groups())
    if (names.empty() || std::find(names.begin(), names.end(), group.name) != names.end())
      chosen.push_back(&group);
  for (const std::string& name : names) {
    std::string known;
    bool found = false;
    for (const MicrobenchGroup& group : microbench_groups()) {
      found |= group.name == name;
      known += (known.empty() ? "" : ", ") + group.name;
    }
    if (!found) throw input::UserError(fmt::format("unknown microbenchmark '{}'; known: {}", name, known));
  }
  return chosen;
}

/// What the measuring program has left in `file`; nothing where that is not whole.
std::optional<double> measured_by_program(const MicrobenchRow& row, const std::string& file) {
  std::uint32_t words[2] = {0, 0};  // cycles, operations
  std::ifstream stream(file, std::ios::binary);
  stream.read(reinterpret_cast<char*>(words), sizeof words);
  if (!stream || words[0] == 0 || words[1] == 0) return {};
  const double cycles = static_cast<double>(words[0]) / words[1];
  return row.rate ? row.scale / cycles : row.scale * cycles - row.less;
}

/// A counter among the results in `folder`.
std::optional<double> counted(const MicrobenchRow::Statistic& wanted, const std::string& folder) {
  const auto document = json::read_file(folder + "/stats.json");
  if (!document) return {};
  return document->at("stats").at("cluster_0").at(wanted.block).at(wanted.counter).at("value").get<double>();
}

void read_result(MicrobenchResult& result, const job::ChildResult& child, const std::string& place) {
  if (child.exit_code == job::ChildResult::kNotStarted) {
    result.error = "not run";
    return;
  }
  const auto& statistic = result.row.statistic;
  std::optional<double> value;
  if (child.exit_code == 0)
    value = statistic ? counted(*statistic, place) : measured_by_program(result.row, place);
  if (value) result.measured = *value;
  else {
    const std::string why = job::first_message(child.errors);
    result.error = fmt::format("exit code {}: {}", child.exit_code, why.empty() ? "no message" : why);
  }
}

/// The measuring program works on one cluster, and has room for 64 cores (PLATFORM_MAX_CORES): on a larger machine one
/// cluster runs, with the network, level 2 cache and memory of all.
MicrobenchOptions with_room(MicrobenchOptions options) {
  constexpr std::uint64_t kMostCores = 64;
  const soc::SocParams machine = effective(options.config, options);
  if (machine.clusters * machine.cluster.cores <= kMostCores) return options;
  fmt::print(stderr,
             "note: one of the {} clusters of {} runs: the measuring program has room for {} cores.\n",
             machine.clusters, input::printable(options.config), kMostCores);
  options.overrides.emplace_back("clusters=1");
  return options;
}

/// The machines that the rows of a group run on.
std::vector<Machine> machines_of(const MicrobenchGroup& group, const MicrobenchOptions& options,
                                 const soc::SocParams& as_configured) {
  std::vector<Machine> machines{{"as configured", options.config, as_configured}};
  MicrobenchOptions chosen = options;
  std::string name = group.isolation;
  std::vector<MicrobenchRow> rows;
  group.rows(as_configured, rows);
  if (rows.empty() && !group.machine.empty() && !options.groups.empty()) {
    machines = {{group.machine, group.machine, effective(group.machine, options)}};
    chosen.config = group.machine;
    name += "-" + group.machine;
  }
  if (!group.isolation.empty()) {
    const std::string isolated = isolated_config(chosen, group.isolation, name);
    machines.push_back({"isolated", isolated, effective(isolated, options)});
  }
  return machines;
}

}  // namespace

double MicrobenchResult::difference() const {
  return row.formula.value == 0 ? 0 : measured / row.formula.value - 1;
}

bool MicrobenchResult::flagged() const {
  return !error.empty() || (row.judged && !(std::abs(difference()) <= row.tolerance));
}

bool MicrobenchResult::unexpected() const {
  return error.empty() && row.expected && machine == "as configured" &&
         (measured < row.expected->low || measured > row.expected->high);
}

std::string MicrobenchProgram::arguments() const {
  std::string text;
  const auto add = [&](std::uint32_t word) {
    text += fmt::format("{}u32:{}", text.empty() ? "" : ",", word);
  };
  for (const std::uint32_t word : {mode,
                                   static_cast<std::uint32_t>(sequence),
                                   cores,
                                   warps,
                                   lanes,
                                   fill,
                                   stride,
                                   bytes,
                                   core_offset,
                                   warp_offset,
                                   i,
                                   j,
                                   k,
                                   a_row,
                                   b_end,
                                   a_stride,
                                   b_stride,
                                   dim,
                                   element_bytes,
                                   fresh,
                                   loops,
                                   registers})
    add(word);
  for (const std::uint32_t word : lane_address) add(word);
  return text;
}

const std::vector<MicrobenchGroup>& microbench_groups() {
  static const std::vector<MicrobenchGroup> groups{
      {"shared_memory", "Shared memory", "shared_memory", shared_memory_rows},
      {"coalescer", "Coalescer: the lanes of a warp over several lines", "coalescer", coalescer_rows},
      {"l1", "Level 1 data cache", "l1", l1_rows},
      {"l2", "Level 2 cache", "l2", l2_rows, true},
      {"dram", "DRAM", "dram", dram_rows, true},
      {"instruction_cache", "Instruction fetch", "instruction_cache", instruction_cache_rows, true},
      {"core", "Execution units: dependent instructions of one warp", "core", core_rows},
      {"warps", "Instructions per cycle of one core against its warps", "core", warps_rows},
      {"barrier", "Cluster barrier", "barrier", barrier_rows},
      {"dma", "DMA: loads of A and B against the shape of the tile", "dma", dma_rows, true},
      {"matrix_unit", "Matrix unit: utilisation against the shape of the tile", "matrix_unit",
       matrix_unit_rows},
      {"tensor_core_volta", "Tensor core of Volta: a warp alone, cycles to the end of each step", "",
       tensor_core_volta_rows, false, "volta-sm"},
      {"tensor_core_turing", "Tensor core of Turing: a warp alone, cycles to the end of each step", "",
       tensor_core_turing_rows, false, "turing-sm"},
      {"sm_memory_volta", "Memory of a streaming multiprocessor of Volta", "", sm_memory_volta_rows, false,
       "volta-sm"},
      {"sm_memory_turing", "Memory of a streaming multiprocessor of Turing", "", sm_memory_turing_rows, false,
       "turing-sm"},
      {"sm_memory_ampere", "Memory of a streaming multiprocessor of Ampere", "", sm_memory_ampere_rows, false,
       "ampere-sm"},
      {"sm_instructions", "Instructions of a streaming multiprocessor: one warp, to their use", "core",
       sm_instructions_rows, false, "volta-sm"},
      {"tensor_core_ampere", "Tensor core of Ampere: a warp alone, cycles to the result", "",
       tensor_core_ampere_rows, false, "ampere-sm"},
  };
  return groups;
}

std::vector<MicrobenchResult> run_microbench(const MicrobenchOptions& given) {
  const MicrobenchOptions options = with_room(given);
  const std::vector<const MicrobenchGroup*> groups = chosen_groups(options.groups);
  const soc::SocParams as_configured = effective(options.config, options);
  std::error_code error;
  for (const char* folder : {"configs", "runs"}) {
    fs::create_directories(fs::path(options.out) / folder, error);
    if (error)
      throw input::UserError(fmt::format("cannot create folder {}: {}", options.out, error.message()));
  }

  std::vector<MicrobenchResult> results;
  std::vector<job::ChildJob> jobs;
  std::vector<std::string> files;
  for (const MicrobenchGroup* group : groups) {
    for (const Machine& machine : machines_of(*group, options, as_configured)) {
      std::vector<MicrobenchRow> rows;
      group->rows(machine.params, rows);
      if (group->beyond_cluster && machine.params.several_clocks())
        for (MicrobenchRow& row : rows) row.judged = false;
      for (MicrobenchRow& row : rows) {
        const std::string run =
            (fs::path(options.out) / "runs" / fmt::format("{:03}", results.size())).string();
        files.push_back(run + ".bin");
        fs::remove(files.back(), error);  // never read the result of an older run
        std::vector<std::string> list{"run", machine.config};
        if (row.statistic) {
          fs::remove(run + "/stats.json", error);
          list.insert(list.end(),
                      {(fs::path(options.kernels_dir) / (row.statistic->kernel + ".elf")).string(), "--quiet",
                       "--args", row.statistic->arguments, "--out", run});
          files.back() = run;
        } else {
          list.insert(list.end(), {options.kernel, "--quiet", "--args", row.program.arguments(), "--save",
                                   files.back() + "@result+8"});
        }
        for (const std::string& one : options.overrides) list.insert(list.end(), {"--set", one});
        jobs.emplace_back().arguments = std::move(list);
        jobs.back().captures = true;
        results.push_back({group->name, machine.name, std::move(row), 0, {}});
      }
    }
  }

  report::ProgressLine progress;
  const std::vector<job::ChildResult> children = job::run_all(options.jobs, jobs, [&](std::size_t done) {
    progress.show([&] { return fmt::format("{} of {} measurements done", done, jobs.size()); });
  });
  progress.clear();
  for (std::size_t i = 0; i < results.size(); ++i) read_result(results[i], children[i], files[i]);
  return results;
}

}  // namespace spica::microbench
