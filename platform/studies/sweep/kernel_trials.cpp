// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/kernel_trials.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "platform/base/input/file.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/run/files.h"
#include "platform/run/signals.h"
#include "platform/studies/sweep/open_sweep.h"
#include "platform/studies/sweep/runner.h"

namespace spica::sweep {

namespace {

/// A sweep file with a point for each trial.
std::string sweep_text(const std::vector<concurrent::Trial>& trials, const std::string& step,
                       std::uint64_t rounds) {
  std::vector<std::string> labels, gemms, kernels, machines;
  std::vector<unsigned> available;
  for (const concurrent::Trial& trial : trials) {
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

std::optional<concurrent::Measured> measured_of(const Records& records, ColumnNames& columns,
                                                const std::string& key, std::uint64_t rounds) {
  const auto record = records.find(key);
  if (!record || record->state == State::kRefused) return std::nullopt;
  if (record->state != State::kOk)
    throw input::UserError(fmt::format("a run ended with \"{}\": {}", state_name(record->state),
                                       input::printable(record->reason)));
  const json::Value values = values_of(*record, columns);
  const auto value = [&](const char* name) {
    if (!values.contains(name)) throw input::UserError(fmt::format("a run has no \"{}\"", name));
    return values.at(name);
  };
  return concurrent::Measured{static_cast<std::uint32_t>(value("cycles").get<std::uint64_t>() / rounds),
                              {value("groups").get<std::uint64_t>(), value("occupancy").get<std::uint64_t>(),
                               value("waves").get<double>()}};
}

}  // namespace

std::vector<std::optional<concurrent::Measured>> run_trials(const std::vector<concurrent::Trial>& trials,
                                                            const std::string& step, const TrialRuns& runs,
                                                            const workloads::Places& places) {
  const std::string folder = runs.folder.string(), file = folder + "/sweep.yaml";
  job::make_folder(folder);
  input::write_text(file, sweep_text(trials, step, runs.rounds));
  const OpenSweep open(file, folder, places);
  RunOptions run;
  run.folder = folder;
  run.jobs = runs.jobs;
  run.keep_going = true;
  const job::Interrupt::SignalGuard keep;
  const RunCounts counts = run_tasks(open.plan(), open.keys(), run);
  if (counts.left != 0)
    throw input::UserError(
        fmt::format("{} runs remain ({}); repeat the command to continue", counts.left, counts.why_left));
  const Records records(folder, model_text());
  ColumnNames columns(folder);
  std::vector<std::optional<concurrent::Measured>> results(trials.size());
  for (const Task& task : all_tasks(open.plan(), open.keys()))
    results[task.index] = measured_of(records, columns, task.key, runs.rounds);
  return results;
}

}  // namespace spica::sweep
