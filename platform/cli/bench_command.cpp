// SPDX-License-Identifier: Apache-2.0
// `spica bench`: what simulated work costs the host, and how fast the fast mode is, against the bars.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <systemc>
#include <utility>
#include <vector>

#include <unistd.h>

#include "platform/base/input/file.h"
#include "platform/base/input/user_error.h"
#include "platform/base/json/parse.h"
#include "platform/cli/commands.h"
#include "platform/cli/paths.h"
#include "platform/run/child_process.h"
#include "platform/run/host_errors.h"
#include "platform/run/signals.h"
#include "platform/studies/bench/host_counter.h"
#include "platform/studies/bench/rows.h"

namespace spica::cli {

namespace {

namespace fs = std::filesystem;

/// The smallest SystemC model there is: a process that re-arms its own event. The bar was set on a machine on which
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
  json::Value stats;
  job::ChildResult process;

  double host(const char* key) const { return stats.at("host").at(key).get<double>(); }
};

/// Other programs on the machine can only slow a run down, so the best of several runs counts, and the best pass of
/// the calibration loop. Machines differ: the rate is brought to the speed of the machine of the bar, and that is
/// judged.
class Rate {
 public:
  Rate(unsigned runs, fs::path folder) : runs_(runs), folder_(std::move(folder)) {}

  std::vector<Sample> run(const std::vector<std::string>& arguments) {
    std::vector<Sample> samples;
    for (unsigned i = 0; i < runs_; ++i) samples.push_back(run_once(arguments));
    return samples;
  }

  /// `measured` is the best of the runs.
  void print(const char* name, const char* unit, double measured, double floor, double bar) const {
    fmt::print("\n{:<52} {:>9} {:>9} {:<10} {:>8} {:>8}\n", fmt::format("figure (best of {})", runs_),
               "measured", "scaled", "unit", "floor", "bar");
    const double value = measured * fastest_ / CalibrationLoop::kReferenceNanoseconds;
    fmt::print("{:<52} {:>9.3g} {:>9.3g} {:<10} {:>8.3g} {:>8.3g}   {}\n", name, measured, value, unit, floor,
               bar,
               value >= bar    ? "reaches the bar"
               : value < floor ? "below the floor"
                               : "above the floor");
    fmt::print(
        "scaled to a machine on which a SystemC activation takes {:.0f} ns; here it took {:.0f} at best, {:.0f} "
        "at worst\n",
        CalibrationLoop::kReferenceNanoseconds, fastest_, slowest_);
  }

 private:
  Sample run_once(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--out", folder_.string()});
    const double activation = loop_.measure();
    fastest_ = std::min(fastest_, activation);
    slowest_ = std::max(slowest_, activation);
    Sample sample;
    sample.process = job::run_self(arguments);
    if (job::Interrupt::signal() != 0) throw input::UserError("interrupted");
    if (sample.process.exit_code != 0)
      throw std::runtime_error("a benchmark run failed: spica " + arguments[0]);
    sample.stats = json::read_file((folder_ / "stats.json").string()).value_or(nullptr);
    return sample;
  }

  unsigned runs_;
  fs::path folder_;
  CalibrationLoop loop_{"calibration"};
  double fastest_ = 1e9, slowest_ = 0;  // ns of an activation
};

/// Warp instructions per second of two compiled kernels without matrix unit, one after the other: a matrix product
/// on the lanes, and a sum with shared memory and barriers.
void rate_of_fast_mode(Rate& rate) {
  const std::vector<Sample> products =
      rate.run({"gemm", "--design", "simt", "--size", "512x512x512", "--mode", "fast"});
  const std::vector<Sample> sums =
      rate.run({"run", "virgo", kernel_path("reduce"), "-q", "--args",
                "u32:2000000,u32:1,u64:0xA0000000,u64:0xC0000000", "--mode", "fast"});
  double best = 0;
  for (std::size_t i = 0; i < products.size(); ++i) {
    const double instructions =
        products[i].stats.at("instructions").get<double>() + sums[i].stats.at("instructions").get<double>();
    const double seconds =
        products[i].host("simulation_cpu_seconds") + sums[i].host("simulation_cpu_seconds");
    best = std::max(best, instructions / seconds / 1e6);
  }
  rate.print("fast mode, compiled kernels, 8 lanes", "Minstr/s", best, 100, 300);
}

struct BenchOptions {
  std::vector<std::string> rows;
  std::string count = "auto";
  std::string json;
  unsigned runs = 5;
};

/// A folder for this process, removed at the end.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / fmt::format("spica-bench-{}", getpid())) {
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

int run_bench(const BenchOptions& options) {
  const job::Interrupt::SignalGuard keep;  // the folder of the runs must be removed
  // What can be known before runs of minutes.
  const std::vector<bench::CostRow> rows = bench::chosen_rows(options.rows);
  const fs::path parent = fs::path(options.json).parent_path();
  if (!parent.empty() && !fs::is_directory(parent))
    throw input::UserError(
        fmt::format("cannot write {}: there is no folder {}", options.json, parent.string()));
  const Folder folder;
  const bench::HostCounter counter(options.count, folder.path().string());

  const std::vector<bench::CostResult> results =
      bench::measure(rows, counter, folder.path().string(), kernel_path);
  job::HostErrors host_errors;  // the file first: the table may go where there is no room
  if (!options.json.empty()) {
    const std::string text = bench::costs_json(results, counter.name());
    host_errors.attempt([&] { input::write_text(options.json, text); });
  }
  bench::print_costs(results, counter.name());
  if (std::any_of(rows.begin(), rows.end(),
                  [](const bench::CostRow& row) { return std::string_view(row.name) == "fast_mode"; })) {
    Rate rate(options.runs, folder.path());
    rate_of_fast_mode(rate);
  }
  return host_errors.exit_code(0);
}

void options_of_bench(Command& command) {
  auto options = std::make_shared<BenchOptions>();
  std::string names;
  for (const bench::CostRow& row : bench::cost_rows())
    names += (names.empty() ? "rows, default all: " : ", ") + std::string(row.name);
  command.option("ROW", options->rows, names);
  command
      .option("--count", options->count,
              "method of counting host instructions: perf (processor counters, with cycles), callgrind "
              "(valgrind, about 50 times slower), auto (perf if it works)")
      .one_of({"auto", "perf", "callgrind"})
      .shows_default();
  command.option("--out,--json", options->json, "JSON file for the rows");
  command.option("--runs", options->runs, "measurements of the fast-mode rate; the best one counts")
      .between(1, 99)
      .shows_default();
  command.action([options](const std::vector<std::string>&) { return run_bench(*options); });
}

}  // namespace

void add_bench_command(CommandLine& line) {
  line.add("bench", "measure the host cost of simulated work and compare it with targets", options_of_bench);
}

}  // namespace spica::cli
