// SPDX-License-Identifier: Apache-2.0
// `spica gemm`: the main job. Makes operands, runs a matrix-product kernel, checks the result.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "platform/cli/commands.h"
#include "platform/cli/job_options.h"
#include "platform/cli/paths.h"
#include "platform/cli/summary.h"
#include "platform/config/config.h"
#include "platform/loader/user_error.h"
#include "platform/run/gemm_design.h"
#include "platform/run/operands.h"

namespace spica::cli {

namespace {

struct Options {
  run::JobOptions job;
  std::string design;
  std::string size = "256x256x256";
  std::string config;
};

/// The design the user asked for, else the one that is meant for the configuration.
const run::GemmDesign& choose_design(const Options& options) {
  if (!options.design.empty() || options.config.empty())
    return run::gemm_design(options.design.empty() ? "virgo-dma" : options.design);
  soc::SocParams params;
  config::apply(config::load(options.config, options.job.overrides, configs_dir()), params);
  return run::design_for(options.config, params);
}

int run_gemm(const Options& options) {
  const run::GemmDesign& design = choose_design(options);
  const run::GemmSize size = run::parse_gemm_size(options.size);
  run::JobOptions job_options = options.job;
  job_options.config = options.config.empty() ? design.config : options.config;
  job_options.elf = kernel_path(design.kernel);
  job_options.show_console = false;
  run::Job job(job_options, configs_dir());
  run::check_machine(design, job.params());
  run::check_tiles(design, size);
  const run::GemmLayout layout = run::layout_of(design, size);

  const run::Element element = design.target.element;
  const std::vector<float> a =
      run::make_operand(std::uint64_t{size.m} * size.k, 2 * options.job.seed, element);
  const std::vector<float> b =
      run::make_operand(std::uint64_t{size.k} * size.n, 2 * options.job.seed + 1, element);
  const auto write = [&](std::uint64_t address, const std::vector<unsigned char>& bytes) {
    job.write(address, bytes.data(), bytes.size());
  };
  write(layout.a, run::encoded(run::arranged_a(a, size.m, size.k, design.a), element));
  write(layout.b, run::encoded(run::arranged_b(b, size.k, size.n, design.b), element));
  write(loader::kArgumentBlockAddress, run::argument_block(size, layout));

  const run::Outcome& outcome = job.run();
  run::RunFigures figures;
  GemmSummary summary;
  summary.title = fmt::format("gemm {} on {} ({})", size.text(), design.name, job_options.config);
  figures.details["design"] = design.name;
  figures.details["size"] = size.text();
  figures.details["seed"] = options.job.seed;
  const auto peak = static_cast<double>(run::peak_macs(design, job.params()));
  summary.utilisation = static_cast<double>(size.macs()) / peak / static_cast<double>(outcome.kernel_cycles);
  figures.utilisation = summary.utilisation;
  if (outcome.good()) {
    std::vector<unsigned char> bytes(std::uint64_t{size.m} * size.n * run::element_bytes(design.result));
    job.read(layout.c, bytes.data(), bytes.size());
    summary.check =
        run::check_design(design, job.params(), size, a, b, run::decoded(bytes, design.result));
  }
  const bool verified = outcome.good() && outcome.guest_exit_code == 0 && summary.check->correct;
  figures.verified = verified;
  job.write_results(figures);
  print_summary(job, outcome, summary);
  return verified ? 0 : 1;
}

}  // namespace

void add_gemm_command(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<Options>();
  options->job.seed = 1;
  CLI::App* command = app.add_subcommand("gemm", "run and check a matrix product C = A * B (the main job)");
  command->add_option("--design", options->design,
                      "how the product is computed (default: as is meant for the configuration; virgo-dma)")
      ->check(CLI::IsMember(run::gemm_design_names()));
  command->add_option("--size", options->size, "MxNxK, multiples of the tile")->capture_default_str();
  command->add_option("--seed", options->job.seed, "seed of the operands")->capture_default_str();
  command->add_option("--config", options->config, "another configuration than the design's own");
  add_job_options(*command, options->job);
  command->callback([options, &chosen] {
    chosen = [options](const std::vector<std::string>& command_line) {
      options->job.command_line = command_line;
      return run_gemm(*options);
    };
  });
}

}  // namespace spica::cli
