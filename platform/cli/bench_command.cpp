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
#include <utility>
#include <vector>

#include <unistd.h>

#include "platform/cli/commands.h"
#include "platform/cli/paths.h"
#include "platform/loader/user_error.h"
#include "platform/run/child_process.h"
#include "platform/run/signals.h"

namespace spica::cli {

namespace {

namespace fs = std::filesystem;

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
    sc_core::sc_start(300'000, sc_core::SC_NS);
    return 1e9 * static_cast<double>(std::clock() - started) / CLOCKS_PER_SEC /
           static_cast<double>(steps_ - before);
  }

 private:
  void step() {
    ++steps_;
    event_.notify(1, sc_core::SC_NS);
  }

  sc_core::sc_event event_;
  std::uint64_t steps_ = 0;
};

/// One run of spica.
struct Sample {
  nlohmann::json stats;
  run::ChildResult process;

  double host(const char* key) const { return stats["host"][key].get<double>(); }
};

enum class Kind { kRate, kTime, kSize };

/// One figure with the value below which it is a regression, and the goal.
struct Figure {
  std::string name;
  std::string unit;
  double floor, bar;
  Kind kind;
};

/// Other programs on the machine can only slow a run down, so the best of several runs counts, and the best pass of
/// the calibration loop. Machines differ: each figure is brought to the speed of the machine of the bars, and that is
/// judged.
class Bench {
 public:
  explicit Bench(unsigned runs)
      : runs_(runs), folder_(fs::temp_directory_path() / fmt::format("spica-bench-{}", getpid())) {
    fs::create_directories(folder_);
  }
  ~Bench() { fs::remove_all(folder_); }

  std::vector<Sample> run(const std::vector<std::string>& arguments) {
    std::vector<Sample> samples;
    for (unsigned i = 0; i < runs_; ++i) samples.push_back(run_once(arguments));
    return samples;
  }

  /// Keeps the best of what `pick` takes from each sample.
  template <class Pick>
  void add(const Figure& figure, const std::vector<Sample>& samples, Pick&& pick) {
    std::vector<double> values;
    for (const Sample& sample : samples) values.push_back(pick(sample));
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    results_.push_back({figure, figure.kind == Kind::kRate ? *most : *least});
  }

  void print() const {
    fmt::print("{:<52} {:>9} {:>9} {:<10} {:>8} {:>8}\n", fmt::format("figure (best of {})", runs_),
               "measured", "scaled", "unit", "floor", "bar");
    for (const auto& [figure, measured] : results_) {
      const bool more = figure.kind == Kind::kRate;
      const double value = more                         ? measured * slowness()
                           : figure.kind == Kind::kTime ? measured / slowness()
                                                        : measured;
      const bool good = more ? value >= figure.bar : value <= figure.bar;
      const bool poor = more ? value < figure.floor : value > figure.floor;
      fmt::print("{:<52} {:>9.3g} {:>9.3g} {:<10} {:>8.3g} {:>8.3g}   {}\n", figure.name, measured, value,
                 figure.unit, figure.floor, figure.bar,
                 good   ? "reaches the bar"
                 : poor ? "below the floor"
                        : "above the floor");
    }
    fmt::print(
        "scaled to a machine on which a SystemC activation takes {:.0f} ns; here it took {:.0f} at best, {:.0f} "
        "at worst\n",
        CalibrationLoop::kReferenceNanoseconds, fastest_, slowest_);
  }

 private:
  double slowness() const { return fastest_ / CalibrationLoop::kReferenceNanoseconds; }

  Sample run_once(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--out", folder_.string()});
    const double activation = loop_.measure();
    fastest_ = std::min(fastest_, activation);
    slowest_ = std::max(slowest_, activation);
    Sample sample;
    sample.process = run::run_self(arguments);
    if (run::Interrupt::signal() != 0) throw loader::UserError("interrupted");
    if (sample.process.exit_code != 0)
      throw std::runtime_error("a benchmark run failed: spica " + arguments[0]);
    std::ifstream(folder_ / "stats.json") >> sample.stats;
    return sample;
  }

  unsigned runs_;
  fs::path folder_;
  CalibrationLoop loop_{"calibration"};
  double fastest_ = 1e9, slowest_ = 0;  // ns of an activation
  std::vector<std::pair<Figure, double>> results_;
};

/// Warp instructions per second of two compiled kernels without matrix unit, one after the other: a matrix product
/// on the lanes, and a sum with shared memory and barriers.
void bench_fast_mode(Bench& bench) {
  const std::vector<Sample> product =
      bench.run({"gemm", "--design", "simt", "--size", "512x512x512", "--mode", "fast"});
  const std::vector<Sample> sums =
      bench.run({"run", "virgo", kernel_path("reduce"), "-q", "--args",
                 "u32:2000000,u32:1,u64:0xA0000000,u64:0xC0000000", "--mode", "fast"});
  std::size_t next = 0;
  bench.add(
      {"fast mode, compiled kernels, 8 lanes", "Minstr/s", 100, 300, Kind::kRate}, product,
      [&](const Sample& sample) {
        const Sample& other = sums[next++];
        return (sample.stats["instructions"].get<double>() + other.stats["instructions"].get<double>()) /
               (sample.host("simulation_cpu_seconds") + other.host("simulation_cpu_seconds")) / 1e6;
      });
}

int run_bench(unsigned runs) {
  const run::Interrupt::Keep keep;  // the folder of the runs is to be removed
  Bench bench(runs);
  const auto rate = [](const Sample& sample) {
    return sample.stats["simulated_cycles"].get<double>() / sample.host("simulation_cpu_seconds") / 1e6;
  };
  const auto whole_process = [](const Sample& sample) { return sample.process.user_seconds; };
  const auto gemm = [&](const char* design, const char* size) {
    return bench.run({"gemm", "--design", design, "--size", size});
  };
  bench.add({"cycle mode, 4 busy cores (tc 256^3)", "Mcycles/s", 1, 2, Kind::kRate},
            gemm("tc", "256x256x256"), rate);
  const std::vector<Sample> waiting = gemm("virgo-dma", "256x256x256");
  bench.add({"cycle mode, cores mostly waiting (virgo-dma 256^3)", "Mcycles/s", 2, 5, Kind::kRate}, waiting,
            rate);
  bench_fast_mode(bench);
  bench.add({"elaboration of the v1 platform", "ms", 10, 1, Kind::kTime}, waiting,
            [](const Sample& sample) { return 1e3 * sample.host("elaboration_seconds"); });
  bench.add({"start of spica to the first simulated cycle", "ms", 100, 30, Kind::kTime}, waiting,
            [](const Sample& sample) { return 1e3 * sample.host("startup_seconds"); });
  bench.add({"resident memory", "MB", 200, 60, Kind::kSize}, waiting,
            [](const Sample& sample) { return sample.process.peak_megabytes; });
  bench.add({"gemm 512x512x512, virgo-dma, whole process", "s", 2.5, 1, Kind::kTime},
            gemm("virgo-dma", "512x512x512"), whole_process);
  bench.add({"gemm 512x512x512, tc, whole process", "s", 6, 3, Kind::kTime}, gemm("tc", "512x512x512"),
            whole_process);
  bench.print();
  return 0;
}

}  // namespace

void add_bench_command(CommandLine& line) {
  auto runs = std::make_shared<unsigned>(5);
  Command command = line.command("bench", "measure the simulator's own speed and memory");
  command.option("--runs", *runs, "measurements per figure; the best one counts")
      .between(1, 99)
      .shows_default();
  command.action([runs](const std::vector<std::string>&) { return run_bench(*runs); });
}

}  // namespace spica::cli
