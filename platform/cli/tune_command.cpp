// SPDX-License-Identifier: Apache-2.0
// `spica tune LIST`: which kernel is the fastest for a matrix product, alone and together with others.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "platform/base/input/file.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/base/json/parse.h"
#include "platform/cli/commands.h"
#include "platform/cli/paths.h"
#include "platform/cli/plugin_option.h"
#include "platform/cli/sweep_command.h"
#include "platform/machine/loader/kernels.h"
#include "platform/machine/loader/program.h"
#include "platform/observe/report/text_table.h"
#include "platform/run/files.h"
#include "platform/run/signals.h"
#include "platform/studies/sweep/runner.h"
#include "platform/workloads/concurrent/tuning.h"

namespace spica::cli {

namespace {

using concurrent::Measured;
using concurrent::Trial;
using protocol::degree_of;
using protocol::kDegrees;

struct TuneOptions {
  std::string list, out = "library.json", dir = "out/tune";
  unsigned jobs = default_jobs();
};

/// A sweep file with a point for each trial.
std::string sweep_text(const std::vector<Trial>& trials, const std::string& step, std::uint64_t rounds) {
  std::vector<std::string> labels, gemms, kernels, machines;
  std::vector<unsigned> available;
  for (const Trial& trial : trials) {
    labels.push_back(fmt::format("{}-{}-{}-{}", trial.gemm, trial.kernel, trial.machine, trial.available));
    gemms.push_back(trial.gemm);
    kernels.push_back(trial.kernel);
    machines.push_back(trial.machine);
    available.push_back(trial.available);
  }
  return fmt::format(
      "# Written by spica tune.\nname: tune-{}\ntitle: Kernels for matrix products, {}\njob: concurrent\naxes:\n  trial:\n"
      "    zip: {{gemm: [{}], kernel: [{}], config: [{}], available: [{}]}}\n    labels: [{}]\n"
      "fixed: {{rounds: {}}}\nkeep: [cycles, groups, occupancy, waves]\n",
      step, step, fmt::join(gemms, ", "), fmt::join(kernels, ", "), fmt::join(machines, ", "),
      fmt::join(available, ", "), fmt::join(labels, ", "), rounds);
}

std::optional<Measured> measured_of(const sweep::Records& records, sweep::ColumnNames& columns,
                                    const std::string& key, std::uint64_t rounds) {
  const auto record = records.find(key);
  if (!record || record->state == sweep::State::kRefused) return std::nullopt;
  if (record->state != sweep::State::kOk)
    throw input::UserError(fmt::format("a run ended with \"{}\": {}", sweep::state_name(record->state),
                                       input::printable(record->reason)));
  const auto values = json::parse(record->values);
  const std::vector<std::string>& names = columns.get(record->columns);
  const auto value = [&](const char* name) {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return values->at(i);
    throw input::UserError(fmt::format("a run says no \"{}\"", name));
  };
  return Measured{static_cast<std::uint32_t>(value("cycles").get<std::uint64_t>() / rounds),
                  {value("groups").get<std::uint64_t>(), value("occupancy").get<std::uint64_t>(),
                   value("waves").get<double>()}};
}

/// Runs what has no record yet, as spica sweep run does; the sweep stays in the folder.
std::vector<std::optional<Measured>> measure(const TuneOptions& options, const std::vector<Trial>& trials,
                                             const std::string& step, std::uint64_t rounds) {
  const std::string folder = options.dir + "/" + step, file = folder + "/sweep.yaml";
  job::make_folder(folder);
  input::write_text(file, sweep_text(trials, step, rounds));
  const OpenSweep open(file, folder);
  sweep::RunOptions run;
  run.folder = folder;
  run.jobs = options.jobs;
  run.keep_going = true;
  const job::Interrupt::Keep keep;
  const sweep::RunCounts counts = sweep::run_tasks(open.plan(), open.keys(), run);
  if (counts.left != 0)
    throw input::UserError(
        fmt::format("{} runs remain ({}); repeat the command to continue", counts.left, counts.why_left));
  const sweep::Records records(folder, sweep::model_text());
  sweep::ColumnNames columns(folder);
  std::vector<std::optional<Measured>> results(trials.size());
  for (const sweep::Task& task : sweep::all_tasks(open.plan(), open.keys()))
    results[task.index] = measured_of(records, columns, task.key, rounds);
  return results;
}

/// Those of gemm_tile that say their tile.
std::vector<std::string> all_kernels() {
  std::vector<std::string> names;
  for (const loader::Kernel& kernel : loader::kernels_of(loader::load_elf(kernel_path("gemm_tile"))).all)
    if (kernel.name.rfind("gemm_", 0) == 0) names.push_back(kernel.name);
  return names;
}

void print(const concurrent::KernelLibrary& library) {
  using Align = report::TextTable::Align;
  std::vector<report::TextTable::Column> head{{"gemm"}};
  for (unsigned i = 0; i < kDegrees; ++i) {
    head.push_back({i == 0 ? "alone" : fmt::format("{} at once", degree_of(i))});
    head.push_back({i == 0 ? "cycles" : "speed-up", Align::kRight});
  }
  report::TextTable table(head);
  for (const concurrent::TunedProduct& product : library.products) {
    std::vector<std::string> row{product.name.text()};
    for (unsigned i = 0; i < kDegrees; ++i) {
      row.push_back(product.kernels[i]);
      row.push_back(i == 0 ? std::to_string(product.cycles[0]) : fmt::format("{:.3f}", product.speedup(i)));
    }
    table.add(row);
  }
  fmt::print("{}", table.text());
}

int run_tune(const TuneOptions& options) {
  concurrent::TuneList list =
      concurrent::tune_list_of(config::load(options.list, {}, configs_dir(), concurrent::kTuneLists));
  if (list.kernels.empty()) list.kernels = all_kernels();
  const concurrent::KernelLibrary library =
      concurrent::tune(list, [&](const std::vector<Trial>& trials, const std::string& step) {
        return measure(options, trials, step, list.rounds);
      });
  input::write_text(options.out, library.to_json().dump(1) + "\n");
  print(library);
  fmt::print("\nwritten: {}\n", input::printable(options.out));
  return 0;
}

void options_of_tune(Command& command) {
  auto options = std::make_shared<TuneOptions>();
  command
      .option("LIST", options->list,
              "products, kernels and machines, YAML (docs/howto/concurrent-products.md)")
      .required();
  command.option("--out", options->out, "file for the library").shows_default();
  command.option("--dir", options->dir, "folder of its sweeps; results in it are reused").shows_default();
  command.option("--jobs", options->jobs, "number of runs in parallel").between(1, 1024).shows_default();
  add_plugin_option(command);
  command.action([options](const std::vector<std::string>&) {
    serve_children();
    return run_tune(*options);
  });
}

}  // namespace

void add_tune_command(CommandLine& line) {
  line.add("tune", "find the fastest kernels for matrix products, alone and concurrent", options_of_tune);
}

}  // namespace spica::cli
