// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/experiment/measured_traffic.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "platform/base/config/yaml_bytes.h"
#include "platform/base/input/file.h"
#include "platform/base/input/user_error.h"
#include "platform/run/files.h"
#include "platform/run/signals.h"
#include "platform/studies/sweep/open_sweep.h"
#include "platform/studies/sweep/runner.h"

namespace spica::experiment {

namespace fs = std::filesystem;

namespace {

/// One simulation, and the rows that it is for.
struct Run {
  std::string name, design, machine, size;
  std::vector<BandwidthRow*> rows;
};

workloads::Layer part_of(const workloads::Layer& layer, const MeasureChoice& choice) {
  workloads::Layer part = layer;
  part.m = std::min(layer.m, choice.most_m);
  part.n = std::min(layer.n, choice.most_n);
  part.k = std::min(layer.k, choice.most_k);
  part.count = part.batch = 1;
  return part;
}

/// The design with that tile: a shipped one, or with asynchronous copies a file among the results, with its own kernel.
std::string design_of(const GemmTile& tile, const Gpu& gpu, const fs::path& folder) {
  std::string marked = fmt::format("mlds-{}", tile.text());
  if (gpu.global_copies == GlobalCopies::kRegisters) return marked;
  const std::string file = (fs::absolute(folder) / fmt::format("async-{}.yaml", tile.text())).string();
  input::write_text(
      file,
      fmt::format(
          "title: \"tile {} with asynchronous copies\"\nextends: designs/{}\nkernel: "
          "gemm_cutlass_async_{}x{}\ndefines: [GEMM_WORK_GROUPS, GEMM_MULTICAST, GEMM_K_CONTIGUOUS, "
          "GEMM_STAGES=2, GEMM_BLOCK_M={}, GEMM_BLOCK_N={}, GEMM_BLOCK_K={}, GEMM_WARPS_M={}, "
          "GEMM_WARPS_N={}]\noperands:\n  a: {{element: fp16, layout: row_major}}\n  b: {{element: fp16, "
          "layout: column_major}}\n  c: {{element: fp32}}\n",
          tile.text(), marked, tile.m, tile.n, tile.m, tile.n, tile.k, tile.warps_m, tile.warps_n));
  return file;
}

/// Bytes that a counter has in a run: its sum over all blocks that have it.
std::string sum_of(const char* counter) { return fmt::format("sum(stats.{})", counter); }

constexpr const char *kGlobalRead = "*.mio.global_bytes_read", *kSharedRead = "*.mio.shared_bytes_read",
                     *kSharedReadA = "*.mio.shared_bytes_read_a", *kSharedReadB = "*.mio.shared_bytes_read_b",
                     *kSharedWritten = "*.mio.shared_bytes_written", *kBusRead = "bus.bytes_read",
                     *kBusWritten = "bus.bytes_written", *kNetworkRead = "network.bytes_read",
                     *kNetworkWritten = "network.bytes_written", *kMemoryRead = "main_memory.bytes_read",
                     *kMemoryWritten = "main_memory.bytes_written";
constexpr const char* kCounters[] = {kGlobalRead,     kSharedRead, kSharedReadA,  kSharedReadB,
                                     kSharedWritten,  kBusRead,    kBusWritten,   kNetworkRead,
                                     kNetworkWritten, kMemoryRead, kMemoryWritten};

/// Bytes of a level, of a run's values.
double moved(const json::Value& values, MemoryLevel level, const Gpu& gpu) {
  const auto sum = [&](const char* counter) {
    const json::Value value = values.value(sum_of(counter), json::Value());
    return value.is_number() ? value.get<double>() : 0;
  };
  switch (level) {
    // C passes shared memory once in each direction, and is not an operand: what is read is taken without it.
    case MemoryLevel::kL1:
      return (gpu.global_copies == GlobalCopies::kRegisters ? sum(kGlobalRead) : 0) + sum(kSharedWritten) -
             sum(kSharedRead) + 2 * (sum(kSharedReadA) + sum(kSharedReadB));
    case MemoryLevel::kL2: return sum(kBusRead) + sum(kBusWritten) + sum(kNetworkRead) + sum(kNetworkWritten);
    case MemoryLevel::kDram: return sum(kMemoryRead) + sum(kMemoryWritten);
  }
  return 0;
}

MeasuredTraffic traffic_of(const BandwidthRow& row, const MeasureChoice& choice, const sweep::Record& record,
                           const json::Value& values) {
  const Gpu& gpu = row.gpu;
  const workloads::Layer part = part_of(row.layer, choice);
  const LayerTraffic formula = layer_traffic(part, row.traffic.tile, row.unit, gpu);
  MeasuredTraffic result;
  result.part = workloads::GemmSize{part.m, part.n, part.k}.text();
  if (record.state != sweep::State::kOk) {
    result.error = fmt::format("{}: {}", sweep::state_name(record.state), record.reason);
    return result;
  }
  for (const MemoryLevel level : kMemoryLevels) {
    const auto i = static_cast<unsigned>(level);
    const double bytes = moved(values, level, gpu);
    // C of the formulas is FP16, here FP32.
    const double wider = level == MemoryLevel::kL1 ? 0 : 2.0 * part.m * part.n;
    const double expected = formula.levels[i].bytes + wider;
    result.levels[i] = {bytes, expected, row.traffic.levels[i].bytes * bytes / expected};
  }
  return result;
}

std::vector<Run> runs_of(std::vector<BandwidthRow>& rows, const MeasureChoice& choice) {
  std::vector<Run> runs;
  for (BandwidthRow& row : rows) {
    if (row.unit != GemmUnit::kTensor || row.gpu.machine.empty()) continue;
    const workloads::Layer part = part_of(row.layer, choice);
    const std::string size = workloads::GemmSize{part.m, part.n, part.k}.text();
    const std::string name = fmt::format("{}-{}-{}", row.gpu.machine, row.traffic.tile.text(), size);
    const auto same =
        std::find_if(runs.begin(), runs.end(), [&](const Run& run) { return run.name == name; });
    if (same != runs.end()) same->rows.push_back(&row);
    else
      runs.push_back(
          {name, design_of(row.traffic.tile, row.gpu, choice.folder), row.gpu.machine, size, {&row}});
  }
  return runs;
}

/// A sweep file with a point for each run.
std::string sweep_text(const std::vector<Run>& runs) {
  std::vector<std::string> names, designs, machines, sizes, counters;
  for (const Run& run : runs) {
    names.push_back(config::quoted_value(run.name));
    designs.push_back(config::quoted_value(run.design));
    machines.push_back(config::quoted_value(run.machine));
    sizes.push_back(run.size);
  }
  for (const char* counter : kCounters) counters.push_back(config::quoted_value(sum_of(counter)));
  return fmt::format(
      "# Written by spica experiment required-bandwidth.\nname: measured-traffic\ntitle: Parts of layers, for "
      "their traffic\njob: gemm\naxes:\n  part:\n    zip: {{design: [{}], config: [{}], size: [{}]}}\n"
      "    labels: [{}]\nfixed: {{dispatcher.present: true, cluster.shared_memory.size: 96KiB}}\nkeep: [{}]\n",
      fmt::join(designs, ", "), fmt::join(machines, ", "), fmt::join(sizes, ", "), fmt::join(names, ", "),
      fmt::join(counters, ", "));
}

/// Throws UserError if a machine of a GPU cannot have the memory of a multiprocessor.
sweep::RunCounts run_all(const sweep::OpenSweep& open, const sweep::RunOptions& options) try {
  return sweep::run_tasks(open.plan(), open.keys(), options);
} catch (const config::ConfigError& error) {
  throw input::UserError(fmt::format("a machine of these GPUs cannot be measured: {}", error.what()));
}

}  // namespace

void measure(std::vector<BandwidthRow>& rows, const MeasureChoice& choice, const workloads::Places& places) {
  job::make_folder(choice.folder.string());
  const std::vector<Run> runs = runs_of(rows, choice);
  if (runs.empty()) return;
  const std::string file = (choice.folder / "sweep.yaml").string();
  input::write_text(file, sweep_text(runs));
  const sweep::OpenSweep open(file, choice.folder.string(), places);
  sweep::RunOptions options;
  options.folder = choice.folder;
  options.jobs = choice.jobs;
  options.keep_going = true;
  options.check_names = false;
  options.retry = sweep::states_without_result();
  const job::Interrupt::SignalGuard keep;
  const sweep::RunCounts counts = run_all(open, options);
  if (counts.left != 0)
    throw input::UserError(
        fmt::format("{} runs remain ({}); repeat the command to resume", counts.left, counts.why_left));
  const sweep::Records records(choice.folder, sweep::model_text());
  sweep::ColumnNames columns(choice.folder);
  for (const sweep::Task& task : sweep::all_tasks(open.plan(), open.keys())) {
    const sweep::Record record = records.find(task.key).value_or(sweep::Record());
    const json::Value values = sweep::values_of(record, columns);
    for (BandwidthRow* row : runs[task.index].rows) row->measured = traffic_of(*row, choice, record, values);
  }
}

}  // namespace spica::experiment
