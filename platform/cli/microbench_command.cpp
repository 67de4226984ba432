// SPDX-License-Identifier: Apache-2.0
// `spica microbench [NAME...]`: latency and throughput of each block next to a closed formula.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <thread>

#include "platform/base/input/file.h"
#include "platform/base/input/printable.h"
#include "platform/cli/commands.h"
#include "platform/cli/paths.h"
#include "platform/cli/plugin_option.h"
#include "platform/observe/report/terminal.h"
#include "platform/run/host_errors.h"
#include "platform/studies/microbench/microbench.h"
#include "platform/studies/microbench/result_files.h"

namespace spica::cli {

namespace {

using Results = std::vector<microbench::MicrobenchResult>;

struct MicrobenchOptions {
  microbench::MicrobenchOptions run;
  bool explain = false;
};

std::string expected(const microbench::MicrobenchResult& result) {
  const auto& range = result.row.expected;
  if (!range || result.machine != "as configured") return "";
  return fmt::format("{:g}-{:g}", range->low, range->high);
}

std::string verdict(const microbench::MicrobenchResult& result, const report::Terminal& terminal) {
  if (!result.error.empty()) return report::colored(result.error, report::Color::kRed, terminal);
  if (result.flagged()) return report::colored("OFF", report::Color::kRed, terminal);
  return result.unexpected() ? "outside" : "";
}

void print_group(const microbench::MicrobenchGroup& group, const Results& results,
                 const MicrobenchOptions& options) {
  using Align = report::TextTable::Align;
  const report::Terminal terminal = report::detect_terminal(1);
  report::TextTable table({{"measurement"},
                           {"machine"},
                           {"measured", Align::kRight},
                           {"formula", Align::kRight},
                           {"unit"},
                           {"difference", Align::kRight},
                           {"allowed", Align::kRight},
                           {"hardware", Align::kRight},
                           {""},
                           {"how"}});
  for (const microbench::MicrobenchResult& result : results) {
    if (result.group != group.name) continue;
    table.add({result.row.name, result.machine,
               result.error.empty() ? fmt::format("{:.2f}", result.measured) : "",
               fmt::format("{:.2f}", result.row.formula.value), result.row.unit,
               result.error.empty() ? fmt::format("{:+.1f} %", 100 * result.difference()) : "",
               result.row.judged ? fmt::format("{:g} %", 100 * result.row.tolerance) : "not judged",
               expected(result), verdict(result, terminal), options.explain ? result.row.formula.text : ""});
  }
  const std::string text = table.text();
  if (!text.empty()) fmt::print("{} ({})\n\n{}\n", group.title, group.name, text);
}

int run_command(MicrobenchOptions options) {
  options.run.kernel = kernel_path("microbench");
  options.run.kernels_dir = std::filesystem::path(options.run.kernel).parent_path().string();
  options.run.configs_dir = configs_dir().string();
  serve_children();
  const Results results = microbench::run_microbench(options.run);
  job::HostErrors host_errors;  // the files first: the tables may go where there is no room
  host_errors.attempt(
      [&] { input::write_text(options.run.out + "/microbench.csv", microbench::results_csv(results)); });
  host_errors.attempt([&] {
    input::write_text(options.run.out + "/microbench.json", microbench::results_json(results, options.run));
  });
  for (const microbench::MicrobenchGroup& group : microbench::microbench_groups())
    print_group(group, results, options);
  const auto flagged =
      std::count_if(results.begin(), results.end(), [](const auto& r) { return r.flagged(); });
  const auto unexpected =
      std::count_if(results.begin(), results.end(), [](const auto& r) { return r.unexpected(); });
  fmt::print("{} measurements; {} off their formula, {} outside the range expected of the hardware\n",
             results.size(), flagged, unexpected);
  fmt::print("microbench.csv and microbench.json are in {}\n", input::printable(options.run.out));
  return host_errors.exit_code(flagged == 0 ? 0 : 1);
}

void options_of_microbench(Command& command) {
  auto options = std::make_shared<MicrobenchOptions>();
  options->run.out = "out/microbench";
  options->run.jobs = std::max(1u, std::thread::hardware_concurrency());
  std::string names;
  for (const microbench::MicrobenchGroup& group : microbench::microbench_groups())
    names += (names.empty() ? "groups, default all: " : ", ") + group.name;
  command.option("NAME", options->run.groups, names);
  command.option("--config", options->run.config, "configuration file, or name of one in configs/")
      .shows_default();
  add_plugin_option(command);
  command.option("--set", options->run.overrides, "KEY=VALUE: override one parameter, may be repeated")
      .repeats();
  command.option("--out", options->run.out, "folder for results").shows_default();
  command.option("--jobs", options->run.jobs, "number of measurements in parallel")
      .between(1, 1024)
      .shows_default();
  command.flag("--explain", options->explain, "print each formula with its parameters");
  command.action([options](const std::vector<std::string>&) { return run_command(*options); });
}

}  // namespace

void add_microbench_command(CommandLine& line) {
  line.add("microbench", "measure single blocks and compare with closed formulas", options_of_microbench);
}

}  // namespace spica::cli
