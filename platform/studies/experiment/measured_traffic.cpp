// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/experiment/measured_traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "platform/base/input/file.h"
#include "platform/base/input/user_error.h"
#include "platform/base/json/parse.h"
#include "platform/run/child_process.h"
#include "platform/run/record.h"

namespace spica::experiment {

namespace fs = std::filesystem;

namespace {

/// One simulation, and the rows that it is for.
struct Run {
  std::string folder;
  job::ChildJob child;
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
std::string design_of(const GemmTile& tile, const Gpu& gpu, const std::string& out) {
  std::string marked = fmt::format("mlds-{}", tile.text());
  if (gpu.global_copies == GlobalCopies::kRegisters) return marked;
  const std::string file = fmt::format("{}/async-{}.yaml", out, tile.text());
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

/// Bytes of a level, of a run's "stats".
double moved(const json::Value& stats, MemoryLevel level, const Gpu& gpu) {
  const auto sum = [&](const char* counter) {
    const json::Value value = job::kept_value(stats, fmt::format("sum(stats.{})", counter));
    return value.is_number() ? value.get<double>() : 0;
  };
  switch (level) {
    // C passes shared memory once in each direction, and is not an operand: what is read is taken without it.
    case MemoryLevel::kL1:
      return (gpu.global_copies == GlobalCopies::kRegisters ? sum("*.mio.global_bytes_read") : 0) +
             sum("*.mio.shared_bytes_written") - sum("*.mio.shared_bytes_read") +
             2 * (sum("*.mio.shared_bytes_read_a") + sum("*.mio.shared_bytes_read_b"));
    case MemoryLevel::kL2:
      return sum("bus.bytes_read") + sum("bus.bytes_written") + sum("network.bytes_read") +
             sum("network.bytes_written");
    case MemoryLevel::kDram: return sum("main_memory.bytes_read") + sum("main_memory.bytes_written");
  }
  return 0;
}

MeasuredTraffic read(const Run& run, const BandwidthRow& row, const MeasureChoice& choice,
                     const job::ChildResult& end) {
  const Gpu& gpu = row.gpu;
  const workloads::Layer part = part_of(row.layer, choice);
  const LayerTraffic formula = layer_traffic(part, row.traffic.tile, row.unit, gpu);
  MeasuredTraffic result;
  result.part = workloads::GemmSize{part.m, part.n, part.k}.text();
  const auto stats = json::read_file(run.folder + "/stats.json");
  if (end.exit_code != 0 || !stats || !stats->value("verified", false)) {
    const std::string said = job::first_message(end.errors);
    result.error = fmt::format("exit code {}: {}", end.exit_code, said.empty() ? "no message" : said);
    return result;
  }
  for (const MemoryLevel level : kMemoryLevels) {
    const auto i = static_cast<unsigned>(level);
    const double bytes = moved(stats->at("stats"), level, gpu);
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
    const std::string folder =
        fmt::format("{}/{}-{}-{}", choice.out, row.gpu.machine, row.traffic.tile.text(), size);
    const auto same =
        std::find_if(runs.begin(), runs.end(), [&](const Run& run) { return run.folder == folder; });
    if (same != runs.end()) {
      same->rows.push_back(&row);
      continue;
    }
    Run run{folder, {}, {&row}};
    run.child.captures = true;
    run.child.arguments = {"gemm",
                           "--design",
                           design_of(row.traffic.tile, row.gpu, choice.out),
                           "--config",
                           row.gpu.machine,
                           "--size",
                           size,
                           "--out",
                           folder,
                           "--set",
                           "dispatcher.present=true",
                           "--set",
                           "cluster.shared_memory.size=96KiB"};
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace

void measure(std::vector<BandwidthRow>& rows, const MeasureChoice& choice,
             const std::function<void(std::size_t, std::size_t)>& progress) {
  const std::vector<Run> runs = runs_of(rows, choice);
  std::vector<job::ChildJob> children;
  for (const Run& run : runs) {
    std::error_code error;
    fs::create_directories(run.folder, error);
    if (error)
      throw input::UserError(fmt::format("cannot create folder {}: {}", run.folder, error.message()));
    fs::remove(fs::path(run.folder) / "stats.json", error);  // never read the results of an older run
    children.push_back(run.child);
  }
  const std::vector<job::ChildResult> ends =
      job::run_all(choice.jobs, children, [&](std::size_t done) { progress(done, children.size()); });
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (BandwidthRow* row : runs[i].rows) row->measured = read(runs[i], *row, choice, ends[i]);
}

}  // namespace spica::experiment
