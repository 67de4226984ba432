// SPDX-License-Identifier: Apache-2.0
// `spica tune LIST`: which kernel is the fastest for a matrix product, alone and together with others.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "platform/base/input/file.h"
#include "platform/base/input/printable.h"
#include "platform/cli/commands.h"
#include "platform/cli/paths.h"
#include "platform/cli/plugin_option.h"
#include "platform/cli/sweep_command.h"
#include "platform/machine/loader/kernels.h"
#include "platform/machine/loader/program.h"
#include "platform/observe/report/text_table.h"
#include "platform/studies/sweep/kernel_trials.h"
#include "platform/workloads/concurrent/tuning.h"

namespace spica::cli {

namespace {

using protocol::degree_of;
using protocol::kDegrees;

struct TuneOptions {
  std::string list, out = "library.json", dir = "out/tune";
  unsigned jobs = default_jobs();
};

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
      concurrent::tune(list, [&](const std::vector<concurrent::Trial>& trials, const std::string& step) {
        return sweep::run_trials(trials, step, {options.dir + "/" + step, options.jobs, list.rounds},
                                 places());
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
