// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/bench/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "platform/base/input/file.h"
#include "platform/base/input/user_error.h"
#include "platform/base/json/parse.h"
#include "platform/machine/soc/key_of.h"
#include "platform/observe/report/progress_line.h"
#include "platform/observe/report/statistics.h"
#include "platform/run/signals.h"
#include "platform/workloads/operands.h"

namespace spica::bench {

namespace {

using Arguments = CostRuns::Arguments;
using Document = json::Value;

Document parsed(const std::string& stats) { return json::read_file(stats).value_or(nullptr); }

/// A counter summed over all blocks of all clusters that have it.
double sum_of(const std::string& stats, const char* counter) {
  double sum = 0;
  const Document document = parsed(stats);
  for (const auto& [cluster, blocks] : document.at("stats").items())
    for (const auto& [block, values] : blocks.items())
      if (values.contains(counter)) sum += values.at(counter).at("value").get<double>();
  return sum;
}

double warp_instructions(const std::string& stats) { return parsed(stats).at("instructions").get<double>(); }
double loads(const std::string& stats) { return sum_of(stats, "load_store"); }
double micro_ops(const std::string& stats) { return sum_of(stats, "tensor_micro_ops"); }
double simulated_cycles(const std::string& stats) {
  return parsed(stats).at("simulated_cycles").get<double>();
}

/// Kinds of sw/microbench/host_cost.cpp.
enum class Kind { kNothing, kAdditions, kLoads, kTensor };

Arguments with(Arguments arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// Zeros would take other ways through the arithmetic than numbers do.
Arguments with_operands(const std::string& operands) {
  return {"--load", operands + "@0xA0000000", "--load", operands + "@0xA1000000"};
}
void write_operands(const std::string& path) {
  constexpr std::uint64_t kWords = 128 * 2048;
  input::write_file(path, workloads::encoded(workloads::make_operand(kWords, 1), workloads::Element::kFp32));
}

Arguments host_cost(const Inputs& inputs, Kind kind, unsigned turns, const Arguments& more = {}) {
  return with({"run", "virgo", inputs.kernel("host_cost"), "-q", "--args",
               fmt::format("u32:{},u32:{}", static_cast<int>(kind), turns)},
              more);
}
/// Of a program that ends at once.
Arguments start(const Inputs& inputs) { return {"run", "virgo", inputs.kernel("host_cost"), "-q"}; }
Arguments gemm(const char* design, const char* size) { return {"gemm", "--design", design, "--size", size}; }

/// A product of 128 x 128 x k by the lanes: a warp's work for each of 128 warps.
Arguments simt(unsigned k, const Inputs& inputs, const Arguments& more) {
  return with({"run", "virgo", inputs.kernel("gemm_simt"), "-q", "--args",
               fmt::format("u32:128,u32:128,u32:{},u32:0,u64:0xA0000000,u64:0xA1000000,u64:0xC0000000", k)},
              with(with_operands(inputs.operands), more));
}
Arguments fast_sum(unsigned words, const Inputs& inputs, const Arguments& more) {
  return with({"run", "virgo", inputs.kernel("reduce"), "-q", "--args",
               fmt::format("u32:{},u32:1,u64:0xA0000000,u64:0xC0000000", words)},
              more);
}

/// Work of n and of 2 n turns.
CostRuns alu(const Inputs& inputs) {
  return {
      {host_cost(inputs, Kind::kAdditions, 16)}, {host_cost(inputs, Kind::kAdditions, 8)}, warp_instructions};
}
CostRuns simt_load(const Inputs& inputs) {
  return {{host_cost(inputs, Kind::kLoads, 16)}, {host_cost(inputs, Kind::kLoads, 8)}, loads};
}
CostRuns tensor_micro_op(const Inputs& inputs) {
  const Arguments load = with_operands(inputs.operands);
  return {
      {host_cost(inputs, Kind::kTensor, 8, load)}, {host_cost(inputs, Kind::kTensor, 4, load)}, micro_ops};
}
/// Whole runs, as the bars were set: with their start, operands and check.
CostRuns tc_256(const Inputs&) { return {{gemm("tc", "256x256x256")}, {}, simulated_cycles}; }
CostRuns virgo_dma_256(const Inputs&) { return {{gemm("virgo-dma", "256x256x256")}, {}, simulated_cycles}; }
CostRuns start_alone(const Inputs& inputs) { return {{start(inputs)}, {}, nullptr}; }
/// With warps of fewer lanes the same work is more instructions: so less of it.
template <unsigned lanes>
CostRuns fast_mode(const Inputs& inputs) {
  const soc::SocParams any;
  const auto& core = any.cluster.core;
  Arguments fast{"--mode", "fast"};
  if (lanes != 8)
    fast = with(fast, {"--set", setting(any, core.lanes, std::to_string(lanes)), "--set",
                       setting(any, core.sfu_lanes, std::to_string(std::min(lanes, 4u))), "--set",
                       setting(any, any.cluster.tensor_core.present, "false")});
  const unsigned k = std::min(1024u, 128 * lanes), words = std::min(200'000u, 25'000 * lanes);
  return {{simt(2 * k, inputs, fast), fast_sum(2 * words, inputs, fast)},
          {simt(k, inputs, fast), fast_sum(words, inputs, fast)},
          warp_instructions};
}
CostRuns machine(const Inputs& inputs, const Arguments& more) {
  return {{simt(64, inputs, more)}, {simt(32, inputs, more)}, warp_instructions};
}
CostRuns warps_8(const Inputs& inputs) { return machine(inputs, {}); }
template <unsigned warps>
CostRuns with_warps(const Inputs& inputs) {
  const soc::SocParams any;
  return machine(inputs, {"--set", setting(any, any.cluster.core.warps, std::to_string(warps))});
}
CostRuns cores_16(const Inputs& inputs) {
  const soc::SocParams any;
  return machine(inputs, {"--set", setting(any, any.cluster.cores, "16")});
}

/// Files of a run in addition to the run.
CostRuns out(const Arguments& run, const Inputs& inputs) {
  return {{with(run, {"--out", inputs.folder + "/counted"})}, {run}, nullptr};
}
/// A product on `clusters` multiprocessors of a whole GPU, one work group of 128 x 128 results for each.
Arguments on_gpu(unsigned clusters, unsigned m, unsigned n, unsigned k) {
  const soc::SocParams any;
  return {"gemm",
          "--design",
          "cutlass13-nn",
          "--config",
          "titanv",
          "--set",
          setting(any, any.clusters, std::to_string(clusters)),
          "--size",
          fmt::format("{}x{}x{}", m, n, k)};
}
CostRuns out_1(const Inputs& inputs) { return out(gemm("volta-fp32", "64x64x64"), inputs); }
CostRuns out_32(const Inputs& inputs) { return out(on_gpu(32, 64, 64, 64), inputs); }
template <unsigned clusters, unsigned m, unsigned n>
CostRuns sm(const Inputs&) {
  static_assert(m / 128 * (n / 128) == clusters);
  return {{on_gpu(clusters, m, n, 128)}, {on_gpu(clusters, m, n, 64)}, warp_instructions};
}
/// The same product as in sm_1, on one of 80 multiprocessors: the others sleep.
CostRuns sm_1_of_80(const Inputs&) {
  return {{on_gpu(80, 128, 128, 128)}, {on_gpu(80, 128, 128, 64)}, warp_instructions};
}
/// A whole run, as those of tc_256.
CostRuns volta_fp32(const Inputs&) { return {{gemm("volta-fp32", "128x128x256")}, {}, warp_instructions}; }
CostRuns fast_tensor(const Inputs&) {
  const Arguments fast{"--mode", "fast"};
  return {{with(gemm("volta-fp32", "128x128x512"), fast)},
          {with(gemm("volta-fp32", "128x128x256"), fast)},
          warp_instructions};
}

/// Goals of 0.2.0, next to what callgrind counted when they were set.
constexpr CostRow kRows[] = {
    {"alu", "warp instruction", alu, 850, "goal of 0.2.0, before: 1,245"},
    {"simt_load", "load of a warp", simt_load, 2'200, "goal of 0.2.0, before: 3,800"},
    {"tensor_micro_op", "micro-op", tensor_micro_op, 700, "goal of 0.2.0, before: 900"},
    {"tc_256", "simulated cycle", tc_256, 4'500, "goal of 0.2.0, before: 5,450"},
    {"virgo_dma_256", "simulated cycle", virgo_dma_256, 1'650, "goal of 0.2.0, before: 1,930"},
    {"start", "run", start_alone, 28e6, "goal of 0.2.0, before: 114 M"},
    {"fast_mode", "warp instruction", fast_mode<8>, 43,
     "10 % above 39, with which it reaches 300 M warp instructions/s"},
    {"fast_mode_1", "warp instruction", fast_mode<1>},
    {"fast_mode_2", "warp instruction", fast_mode<2>},
    {"fast_mode_4", "warp instruction", fast_mode<4>},
    {"fast_mode_16", "warp instruction", fast_mode<16>},
    {"fast_mode_32", "warp instruction", fast_mode<32>, std::nullopt,
     "goal of 0.2.0: at most 4 times that of 8 lanes", "fast_mode", 4.0},
    {"warps_8", "warp instruction", warps_8},
    {"warps_16", "warp instruction", with_warps<16>, std::nullopt,
     "goal of 0.2.0: at most 10 % more than with 8 warps", "warps_8", 1.10},
    {"warps_32", "warp instruction", with_warps<32>, std::nullopt,
     "goal of 0.2.0: at most 10 % more than with 8 warps", "warps_8", 1.10},
    {"cores_16", "warp instruction", cores_16, std::nullopt,
     "goal of 0.2.0: at most 25 % more host cycles than with 4 cores", "warps_8", 1.25,
     CostRow::Judged::kCycles},
    {"out_1", "run", out_1},
    {"out_32", "run", out_32},
    {"sm_1", "warp instruction", sm<1, 128, 128>},
    {"sm_8", "warp instruction", sm<8, 256, 512>, std::nullopt,
     "goal of 0.3.0: at most 20 % more than on one multiprocessor", "sm_1", 1.20},
    {"sm_32", "warp instruction", sm<32, 512, 1024>, std::nullopt,
     "goal of 0.3.0: at most 20 % more than on one multiprocessor", "sm_1", 1.20},
    {"sm_1_of_80", "warp instruction", sm_1_of_80, std::nullopt,
     "goal of 0.3.0: at most 5 % more than on one multiprocessor", "sm_1", 1.05},
    {"volta_fp32", "warp instruction", volta_fp32, 10'600, "goal of 0.3.0, before: 14,800"},
    {"fast_tensor", "warp instruction", fast_tensor, std::nullopt, "goal of 0.3.0: an eighth of cycle mode",
     "volta_fp32", 0.125},
};

/// What was found of one command.
struct Counted {
  HostCost cost;
  std::string stats;  // file
  bool has_units = false;
};
using Commands = std::map<Arguments, Counted>;

CostResult result_of(const CostRow& row, const Commands& commands,
                     const std::map<std::string, CostResult>& before, const Inputs& inputs) {
  CostResult result{row, 0, 0.0, row.bar, {}};
  const CostRuns runs = row.runs(inputs);
  double units = runs.units == nullptr ? 1 : 0;
  for (const bool minus : {false, true}) {
    const double sign = minus ? -1 : 1;
    for (const Arguments& arguments : minus ? runs.minus : runs.plus) {
      const Counted& counted = commands.at(arguments);
      result.instructions += sign * counted.cost.instructions;
      if (runs.units != nullptr) units += sign * runs.units(counted.stats);
      if (!counted.cost.cycles) result.cycles.reset();
      if (result.cycles) *result.cycles += sign * *counted.cost.cycles;
    }
  }
  if (units <= 0) throw std::runtime_error(fmt::format("the runs of {} did no work", row.name));
  result.instructions /= units;
  if (result.cycles) *result.cycles /= units;

  const bool by_cycles = row.judged == CostRow::Judged::kCycles;
  const auto judged = [&](const CostResult& of) {
    return by_cycles ? of.cycles : std::optional<double>(of.instructions);
  };
  if (row.times != 0) {
    const std::optional<double> base = judged(before.at(row.relative_to));
    if (base) result.bar = row.times * *base;
  }
  const std::optional<double> value = judged(result);
  if (result.bar && value) result.reached = *value <= *result.bar;
  return result;
}

std::string figure(const std::optional<double>& value) {
  if (!value) return "-";
  if (*value >= 1e7) return fmt::format("{:.1f} M", *value / 1e6);
  return *value >= 100 ? fmt::format("{:.0f}", *value) : fmt::format("{:.1f}", *value);
}

}  // namespace

const std::vector<CostRow>& cost_rows() {
  static const std::vector<CostRow> rows(std::begin(kRows), std::end(kRows));
  return rows;
}

std::vector<CostRow> chosen_rows(const std::vector<std::string>& names) {
  std::vector<std::string> wanted = names;
  const std::vector<CostRow>& all = cost_rows();
  for (const std::string& name : names) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const CostRow& row) { return name == row.name; });
    if (found == all.end()) {
      std::string known;
      for (const CostRow& row : all) known += (known.empty() ? "" : ", ") + std::string(row.name);
      throw input::UserError(fmt::format("there is no row '{}'; there are: {}", name, known));
    }
    if (found->times != 0) wanted.emplace_back(found->relative_to);
  }
  std::vector<CostRow> rows;
  for (const CostRow& row : all)
    if (names.empty() || std::find(wanted.begin(), wanted.end(), row.name) != wanted.end())
      rows.push_back(row);
  return rows;
}

std::vector<CostResult> measure(const std::vector<CostRow>& rows, const HostCounter& counter,
                                const std::string& folder,
                                std::function<std::string(const std::string&)> kernel) {
  const Inputs inputs{folder + "/operands.bin", folder, std::move(kernel)};
  write_operands(inputs.operands);
  Commands commands;
  for (const CostRow& row : rows) {
    const CostRuns runs = row.runs(inputs);
    for (const auto& list : {runs.plus, runs.minus})
      for (const Arguments& arguments : list) commands[arguments].has_units |= runs.units != nullptr;
  }
  std::vector<Arguments> counted, plain;
  for (auto& [arguments, found] : commands) {
    const std::string out = fmt::format("{}/{}", folder, counted.size());
    found.stats = out + "/stats.json";
    counted.push_back(arguments);
    // Files also cost instructions: so the units come from a second run, which is not counted.
    if (found.has_units) plain.push_back(with(arguments, {"--out", out}));
  }

  report::ProgressLine progress;
  for (const job::ChildResult& child : job::run_self_many(plain, counter.jobs())) {
    if (job::Interrupt::signal() != 0) throw input::UserError("interrupted");
    if (child.exit_code != 0) throw std::runtime_error("a benchmark run failed");
  }
  const std::vector<CountedRun> runs = counter.run(counted, [&](std::size_t done) {
    progress.show([&] { return fmt::format("{} of {} runs counted", done, counted.size()); });
  });
  progress.clear();
  for (std::size_t i = 0; i < counted.size(); ++i) commands.at(counted[i]).cost = runs[i].cost;

  std::vector<CostResult> results;
  std::map<std::string, CostResult> before;
  for (const CostRow& row : rows) {
    results.push_back(result_of(row, commands, before, inputs));
    before.emplace(row.name, results.back());
  }
  return results;
}

std::string costs_json(const std::vector<CostResult>& results, const std::string& counted_by) {
  const auto number = [](const std::optional<double>& value) {
    return value ? json::Value(*value) : json::Value();
  };
  json::Value document;
  document["counted_by"] = counted_by;
  auto& rows = document["rows"] = json::Value::array();
  for (const CostResult& result : results) {
    json::Value row;
    row["name"] = result.row.name;
    row["unit"] = result.row.unit;
    row["host_instructions_per_unit"] = result.instructions;
    row["host_cycles_per_unit"] = number(result.cycles);
    row["bar"] = number(result.bar);
    row["bar_is_for"] =
        result.row.judged == CostRow::Judged::kCycles ? "host_cycles_per_unit" : "host_instructions_per_unit";
    row["bar_source"] = result.row.source;
    row["reached"] = result.reached ? json::Value(*result.reached) : json::Value();
    rows.push_back(std::move(row));
  }
  return report::printable_json(document).dump(2) + "\n";
}

void print_costs(const std::vector<CostResult>& results, const std::string& counted_by) {
  fmt::print("{:<34} {:>12} {:>12} {:>10}\n", fmt::format("work of the host ({})", counted_by),
             "instructions", "cycles", "bar");
  for (const CostResult& result : results) {
    const char* const verdict = !result.reached   ? ""
                                : *result.reached ? "   reaches the bar"
                                                  : "   above the bar";
    fmt::print("{:<34} {:>12} {:>12} {:>10}{}\n", fmt::format("{}, per {}", result.row.name, result.row.unit),
               figure(result.instructions), figure(result.cycles), figure(result.bar), verdict);
  }
}

}  // namespace spica::bench
