// SPDX-License-Identifier: Apache-2.0
// `spica bench`: how fast the simulator itself is, against the bars it was built for.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <systemc>

#include <unistd.h>

#include "platform/cli/commands.h"
#include "platform/cli/paths.h"
#include "platform/run/child_process.h"

namespace spica::cli {

namespace {

namespace fs = std::filesystem;

/// One figure with the value below which it is a regression, the goal, and whether more is better.
struct Figure {
  std::string name;
  std::string unit;
  double floor, bar;
  bool more_is_better;
  double value;
};

/// Median of `runs` measurements.
template <class Measure>
double median(unsigned runs, Measure&& measure) {
  std::vector<double> values;
  for (unsigned i = 0; i < runs; ++i) values.push_back(measure());
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Sample {
  nlohmann::json stats;
  run::ChildResult process;
};

Sample run_once(const fs::path& folder, std::vector<std::string> arguments) {
  arguments.push_back("--out");
  arguments.push_back(folder.string());
  Sample sample;
  sample.process = run::run_self(arguments);
  if (sample.process.exit_code != 0)
    throw std::runtime_error("a benchmark run failed: spica " + arguments[0]);
  std::ifstream(folder / "stats.json") >> sample.stats;
  return sample;
}

void print(const Figure& figure) {
  const bool good = figure.more_is_better ? figure.value >= figure.bar : figure.value <= figure.bar;
  const bool poor = figure.more_is_better ? figure.value < figure.floor : figure.value > figure.floor;
  fmt::print("{:<52} {:>9.3g} {:<10} {:>8.3g} {:>8.3g}   {}\n", figure.name, figure.value, figure.unit,
             figure.floor, figure.bar, good ? "reaches the bar" : poor ? "below the floor" : "above the floor");
}

/// Warp instructions per second of two compiled kernels without matrix unit, one after the other: a matrix product
/// on the lanes, and a sum with shared memory and barriers.
double fast_mode_rate(const fs::path& folder) {
  const std::vector<std::vector<std::string>> kernels = {
      {"gemm", "--design", "simt", "--size", "512x512x512"},
      {"run", "virgo", kernel_path("reduce"), "-q", "--args", "u32:2000000,u32:1,u64:0xA0000000,u64:0xC0000000"}};
  double instructions = 0, seconds = 0;
  for (std::vector<std::string> arguments : kernels) {
    arguments.insert(arguments.end(), {"--mode", "fast"});
    const Sample sample = run_once(folder, arguments);
    instructions += sample.stats["instructions"].get<double>();
    seconds += sample.stats["host"]["simulation_cpu_seconds"].get<double>();
  }
  return instructions / seconds / 1e6;
}

/// The smallest SystemC model there is: a process that re-arms its own event. Bars were set on a machine on which
/// one activation takes kReferenceNanoseconds (modelling notes, measured with libsystemc 2.3.4 and g++ 12).
class CalibrationLoop final : public sc_core::sc_module {
 public:
  static constexpr double kReferenceNanoseconds = 45;

  explicit CalibrationLoop(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_HAS_PROCESS(CalibrationLoop);
    SC_METHOD(step);
    sensitive << event_;
  }

  /// CPU nanoseconds per activation, now.
  double measure() {
    const std::uint64_t before = steps_;
    const std::clock_t started = std::clock();
    sc_core::sc_start(1'000'000, sc_core::SC_NS);
    return 1e9 * static_cast<double>(std::clock() - started) / CLOCKS_PER_SEC / static_cast<double>(steps_ - before);
  }

 private:
  void step() {
    ++steps_;
    event_.notify(1, sc_core::SC_NS);
  }

  sc_core::sc_event event_;
  std::uint64_t steps_ = 0;
};

int run_bench(unsigned runs) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("spica-bench-{}", getpid());
  fs::create_directories(folder);
  fmt::print("{:<52} {:>9} {:<10} {:>8} {:>8}\n", "figure (median of " + std::to_string(runs) + ")", "measured",
             "unit", "floor", "bar");

  const auto measure = [&](const std::string& design) {
    std::vector<Sample> samples;
    for (unsigned i = 0; i < runs; ++i)
      samples.push_back(run_once(folder, {"gemm", "--design", design, "--size", "256x256x256"}));
    return samples;
  };
  const std::vector<Sample> waiting = measure("virgo-dma"), busy = measure("tc");
  const auto median_of = [&](const std::vector<Sample>& samples, auto&& pick) {
    unsigned next = 0;
    return median(runs, [&] { return pick(samples[next++]); });
  };
  const auto of = [&](auto&& pick) { return median_of(waiting, pick); };
  const auto rate = [](const Sample& sample) {
    return sample.stats["simulated_cycles"].template get<double>() /
           sample.stats["host"]["simulation_cpu_seconds"].template get<double>() / 1e6;
  };
  print({"cycle mode, 4 busy cores (tc 256^3)", "Mcycles/s", 1, 2, true, median_of(busy, rate)});
  print({"cycle mode, cores mostly waiting (virgo-dma 256^3)", "Mcycles/s", 2, 5, true, of(rate)});
  print({"fast mode, compiled kernels, 8 lanes", "Minstr/s", 100, 300, true,
         median(runs, [&] { return fast_mode_rate(folder); })});
  print({"elaboration of the v1 platform", "ms", 10, 1, false, of([](const Sample& sample) {
           return 1e3 * sample.stats["host"]["elaboration_seconds"].template get<double>();
         })});
  print({"start of spica to the first simulated cycle", "ms", 100, 30, false, of([](const Sample& sample) {
           return 1e3 * sample.stats["host"]["startup_seconds"].template get<double>();
         })});
  print({"resident memory", "MB", 200, 60, false,
         of([](const Sample& sample) { return sample.process.peak_megabytes; })});
  const auto whole_process = [&](const std::string& design) {
    return median(runs, [&] {
      return run_once(folder, {"gemm", "--design", design, "--size", "512x512x512"}).process.user_seconds;
    });
  };
  print({"gemm 512x512x512, virgo-dma, whole process", "s", 2.5, 1, false, whole_process("virgo-dma")});
  print({"gemm 512x512x512, tc, whole process", "s", 6, 3, false, whole_process("tc")});
  CalibrationLoop loop("calibration");
  const double nanoseconds = median(2 * runs + 1, [&loop] { return loop.measure(); });
  fmt::print("calibration: {:.0f} ns for one SystemC activation, {:.0f} on the machine of the bars: this one is {:.2f} "
             "times as fast at it\n",
             nanoseconds, CalibrationLoop::kReferenceNanoseconds, CalibrationLoop::kReferenceNanoseconds / nanoseconds);
  fs::remove_all(folder);
  return 0;
}

}  // namespace

void add_bench_command(CLI::App& app, Action& chosen) {
  auto runs = std::make_shared<unsigned>(3);
  CLI::App* command = app.add_subcommand("bench", "measure the simulator's own speed and memory");
  command->add_option("--runs", *runs, "measurements of each figure, the median counts")
      ->check(CLI::Range(1, 99))->capture_default_str();
  command->callback([runs, &chosen] {
    chosen = [runs](const std::vector<std::string>&) { return run_bench(*runs); };
  });
}

}  // namespace spica::cli
