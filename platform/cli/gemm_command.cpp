// SPDX-License-Identifier: Apache-2.0
// `spica gemm`: the main job. Makes operands, runs a matrix-product kernel, checks the result.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "platform/cli/commands.h"
#include "platform/cli/job_options.h"
#include "platform/cli/paths.h"
#include "platform/cli/summary.h"
#include "platform/loader/user_error.h"
#include "platform/run/gemm_design.h"
#include "platform/run/operands.h"

namespace spica::cli {

namespace {

struct Options {
  run::JobOptions job;
  std::string design = "virgo-dma";
  std::string size = "256x256x256";
  std::string config;
};

int run_gemm(const Options& options) {
  const run::GemmDesign& design = run::gemm_design(options.design);
  const run::GemmSize size = run::parse_gemm_size(options.size);
  run::JobOptions job_options = options.job;
  job_options.config = options.config.empty() ? design.config : options.config;
  job_options.elf = kernel_path(design.kernel);
  job_options.show_console = false;
  run::Job job(job_options, configs_dir());
  run::check_tiles(design, size, job.params());
  const run::GemmLayout layout = run::layout_of(size, job.params());

  const std::vector<float> a = run::make_operand(std::uint64_t{size.m} * size.k, 2 * options.job.seed);
  const std::vector<float> b = run::make_operand(std::uint64_t{size.k} * size.n, 2 * options.job.seed + 1);
  const std::vector<float> a_in_memory = design.a_column_major ? run::transposed(a, size.m, size.k) : a;
  job.write(layout.a, a_in_memory.data(), a.size() * sizeof(float));
  job.write(layout.b, b.data(), b.size() * sizeof(float));
  const auto block = run::argument_block(size, layout);
  job.write(loader::kArgumentBlockAddress, block.data(), block.size());

  const run::Outcome& outcome = job.run();
  run::RunFigures figures;
  GemmSummary summary;
  summary.title = fmt::format("gemm {} on {} ({})", size.text(), options.design, job_options.config);
  figures.details["design"] = options.design;
  figures.details["size"] = size.text();
  figures.details["seed"] = options.job.seed;
  const auto peak = static_cast<double>(run::peak_macs(design, job.params()));
  summary.utilisation = static_cast<double>(size.macs()) / peak / static_cast<double>(outcome.kernel_cycles);
  figures.utilisation = summary.utilisation;
  if (outcome.good()) {
    std::vector<float> c(std::uint64_t{size.m} * size.n);
    job.read(layout.c, c.data(), c.size() * sizeof(float));
    summary.check = run::check_design(design, job.params(), size, a, b, c);
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
  command->add_option("--design", options->design, "how the product is computed")
      ->check(CLI::IsMember(run::gemm_design_names()))->capture_default_str();
  command->add_option("--size", options->size, "MxNxK, multiples of the tile")->capture_default_str();
  command->add_option("--seed", options->job.seed, "seed of the operands")->capture_default_str();
  command->add_option("--config", options->config, "another configuration than the design's own");
  add_job_options(*command, options->job);
  command->add_flag("--annotate", options->job.annotate, "print the kernel's source with cycles and energy per line");
  add_annotation_options(*command, options->job);
  command->callback([options, &chosen] {
    chosen = [options](const std::vector<std::string>& command_line) {
      options->job.command_line = command_line;
      return run_gemm(*options);
    };
  });
}

}  // namespace spica::cli
