// SPDX-License-Identifier: Apache-2.0
// `spica gemm`: the main job. Makes operands, runs a matrix-product kernel, checks the result.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "platform/cli/commands.h"
#include "platform/cli/job_options.h"
#include "platform/cli/paths.h"
#include "platform/cli/summary.h"
#include "platform/job/job.h"
#include "platform/job/results.h"
#include "platform/loader/argument_block.h"
#include "platform/loader/elf_notes.h"
#include "platform/loader/user_error.h"
#include "platform/soc/soc_config.h"
#include "platform/workloads/design_file.h"
#include "platform/workloads/operands.h"

namespace spica::cli {

namespace {

struct GemmOptions {
  job::JobOptions job;
  std::string design;
  std::string size;
  std::string config;
  unsigned batch = 1;
};

/// The design the user asked for, else the one that is meant for the configuration.
workloads::GemmDesign choose_design(const GemmOptions& options) {
  if (!options.design.empty() || options.config.empty())
    return workloads::read_gemm_design(options.design.empty() ? "virgo-dma" : options.design, configs_dir());
  soc::SocParams params;
  config::apply(config::load(options.config, options.job.overrides, configs_dir()), params);
  return workloads::design_for(options.config, params, configs_dir());
}

/// One matrix product: what goes in and where it lies. Matrices have zeros behind what was asked for.
struct Product {
  workloads::GemmSize size;
  workloads::GemmLayout layout;
  std::vector<float> a, b;
};

/// A matrix of `columns` columns as the corner of a larger one.
std::vector<float> corner(std::vector<float> matrix, std::uint64_t columns, std::uint64_t rows_of_all,
                          std::uint64_t columns_of_all) {
  if (matrix.size() == rows_of_all * columns_of_all) return matrix;
  std::vector<float> all(rows_of_all * columns_of_all);
  for (std::uint64_t row = 0; row < matrix.size() / columns; ++row)
    std::copy_n(matrix.begin() + static_cast<std::ptrdiff_t>(row * columns), columns,
                all.begin() + static_cast<std::ptrdiff_t>(row * columns_of_all));
  return all;
}

/// `asked` and `sizes`: without and with what the kernel's tiles add.
std::vector<Product> make_products(const workloads::GemmDesign& design,
                                   const std::vector<workloads::GemmSize>& asked,
                                   const std::vector<workloads::GemmSize>& sizes, std::uint64_t seed) {
  const std::vector<workloads::GemmLayout> layouts =
      sizes.size() > design.matrix_units.size()
          ? workloads::layouts_of(design, sizes, workloads::kBatchAlignment)
          : workloads::layouts_of(design, sizes);
  const workloads::Element element = design.element();
  std::vector<Product> products;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const workloads::GemmSize &all = sizes[i], &size = asked[i];
    const std::uint64_t own_seed = seed + (std::uint64_t{i} << 32);
    products.push_back(
        {all, layouts[i],
         corner(workloads::make_operand(std::uint64_t{size.m} * size.k, 2 * own_seed, element), size.k, all.m,
                all.k),
         corner(workloads::make_operand(std::uint64_t{size.k} * size.n, 2 * own_seed + 1, element), size.n,
                all.k, all.n)});
  }
  return products;
}

void write_memory(job::Job& job, const workloads::GemmDesign& design, const std::vector<Product>& products) {
  const auto write = [&](std::uint64_t address, const std::vector<unsigned char>& bytes) {
    job.write(address, bytes.data(), bytes.size());
  };
  const workloads::Element element = design.element();
  std::vector<workloads::GemmSize> sizes;
  std::vector<workloads::GemmLayout> layouts;
  for (std::size_t i = 0; i < products.size(); ++i) {
    const Product& p = products[i];
    const std::string number = products.size() > 1 ? std::to_string(i) : "";
    const std::uint64_t bytes = workloads::element_bytes(element);
    job.name_buffer("A" + number, p.layout.a, std::uint64_t{p.size.m} * p.size.k * bytes);
    job.name_buffer("B" + number, p.layout.b, std::uint64_t{p.size.k} * p.size.n * bytes);
    job.name_buffer("C" + number, p.layout.c,
                    std::uint64_t{p.size.m} * p.size.n * workloads::element_bytes(design.operands.c.element));
    write(p.layout.a, workloads::encoded(
                          workloads::arranged_a(p.a, p.size.m, p.size.k, design.operands.a.layout), element));
    write(p.layout.b, workloads::encoded(
                          workloads::arranged_b(p.b, p.size.k, p.size.n, design.operands.b.layout), element));
    sizes.push_back(p.size);
    layouts.push_back(p.layout);
  }
  write(loader::kArgumentBlockAddress, workloads::argument_block(design, sizes, layouts));
}

/// All products, as if they were one. With several, `matrix` names the one that is wrong.
workloads::GemmCheck check_products(job::Job& job, const workloads::GemmDesign& design,
                                    const std::vector<Product>& products, std::string& matrix) {
  workloads::GemmCheck all;
  for (std::size_t i = 0; i < products.size(); ++i) {
    const Product& p = products[i];
    std::vector<unsigned char> bytes(std::uint64_t{p.size.m} * p.size.n *
                                     workloads::element_bytes(design.operands.c.element));
    job.read(p.layout.c, bytes.data(), bytes.size());
    const workloads::GemmCheck one = workloads::check_design(
        design, job.params(), std::min(i, design.matrix_units.size() - 1), p.size, p.a, p.b,
        workloads::gathered_c(workloads::decoded(bytes, design.operands.c.element), p.size.m, p.size.n,
                              design.operands.c.layout));
    if (!one.correct && (i == 0 || all.correct) && products.size() > 1) matrix = fmt::format("C{}", i);
    if (i == 0) all = one;
    else workloads::add(all, one);
  }
  return all;
}

/// The tile that the program says, if it does.
void take_tile(workloads::GemmDesign& design, const loader::Program& program) {
  const loader::ElfNotes notes = loader::read_notes(program);
  const std::pair<const char*, std::uint32_t*> extents[] = {
      {"gemm.tile_m", &design.tile.m}, {"gemm.tile_n", &design.tile.n}, {"gemm.tile_k", &design.tile.k}};
  for (const auto& [key, extent] : extents)
    if (const auto number = notes.number(key); number && *number != 0)
      *extent = static_cast<std::uint32_t>(*number);
}

int run_gemm(const GemmOptions& options) {
  workloads::GemmDesign design = choose_design(options);
  const std::vector<workloads::GemmSize> in_a_run = workloads::parse_sizes(design, options.size);
  if (options.batch > 1) design = workloads::batched(std::move(design));
  job::JobOptions job_options = options.job;
  job_options.config = options.config.empty() ? design.config : options.config;
  job_options.elf_for = [&](const soc::SocParams& params) {
    workloads::check_machine(design, params);
    return program_of(design, job_options.config, job_options.overrides, params);
  };
  job_options.show_console = false;
  const std::vector<workloads::GemmSize> asked =
      options.batch > 1 ? std::vector<workloads::GemmSize>(options.batch, in_a_run.front()) : in_a_run;
  job::Job job(job_options, configs_dir());
  take_tile(design, job.program());
  if (options.batch > 1 && !loader::read_notes(job.program()).number(workloads::kBatchNote))
    throw loader::UserError(fmt::format(
        "design {}: its kernel computes one product in a run, no batch of them: it has no GEMM_MAIN "
        "(sw/kernels/gemm_common/gemm_arguments.h)",
        design.name));
  std::vector<workloads::GemmSize> sizes;
  for (const workloads::GemmSize& size : asked)
    sizes.push_back(workloads::padded(design, size, job.params()));
  const std::vector<Product> products = make_products(design, asked, sizes, options.job.seed);
  write_memory(job, design, products);

  const job::JobOutcome& outcome = job.run();
  const std::string size_text = workloads::sizes_text(in_a_run);
  std::uint64_t macs = 0, all_macs = 0;
  for (const workloads::GemmSize& size : asked) macs += size.macs();
  for (const workloads::GemmSize& size : sizes) all_macs += size.macs();
  job::RunFigures figures;
  GemmSummary summary;
  summary.title =
      fmt::format("gemm {}{} on {} ({})", options.batch > 1 ? fmt::format("{} x ", options.batch) : "",
                  size_text, design.name, job_options.config);
  summary.bitwise = workloads::is_checked_bitwise(design);
  figures.details["design"] = design.name;
  figures.details["size"] = size_text;
  if (options.batch > 1) figures.details["batch"] = options.batch;
  if (all_macs != macs) {
    sizes.resize(in_a_run.size());
    summary.padded = workloads::sizes_text(sizes);
    summary.padded_share = 1 - static_cast<double>(macs) / static_cast<double>(all_macs);
    figures.details["padded_size"] = summary.padded;
  }
  figures.details["window"] = workloads::window_name(design.window);
  figures.details["seed"] = options.job.seed;
  const auto peak = static_cast<double>(workloads::peak_macs(design, job.params()));
  summary.utilisation = static_cast<double>(macs) / peak / static_cast<double>(outcome.kernel_cycles);
  if (outcome.good()) {  // else not all was computed
    figures.utilisation = summary.utilisation;
    figures.multiply_adds = summary.multiply_adds = macs;
  }
  if (outcome.good()) summary.check = check_products(job, design, products, summary.matrix);
  const bool verified = outcome.good() && outcome.guest_exit_code == 0 && summary.check->correct;
  figures.verified = verified;
  if (summary.check) {
    figures.details["largest_error"] = summary.check->largest_error;
    figures.details["allowed_error"] = summary.check->allowed_at_largest;
  }
  job.write_results(figures);
  job.troubles().attempt([&] { print_summary(job, outcome, summary); });
  return job.troubles().exit_code(verified && outcome.clean() ? 0 : 1);
}

void options_of_gemm(Command& command) {
  auto options = std::make_shared<GemmOptions>();
  options->job.seed = 1;
  command
      .option(
          "--design", options->design,
          "how the product is computed: a name, or a design file (default: the design meant for --config; without --config, virgo-dma)")
      .names([] { return names_in_order(workloads::kGemmDesigns); });
  command.option(
      "--size", options->size,
      "MxNxK; MxNxK+MxNxK for a design with two products (default: 256x256x256, second product 128x128x256)");
  command
      .option("--batch", options->batch,
              "so many products of this size, each with operands of its own, one after the other in one run")
      .between(1, 4096)
      .shows_default();
  command.option("--seed", options->job.seed, "seed of the operands").shows_default();
  command.option("--config", options->config, "configuration to use instead of the design's own");
  add_job_options(command, options->job);
  command.flag("--annotate", options->job.annotate,
               "print the kernel's source with cycles and energy per line");
  add_annotation_options(command, options->job);
  command.action([options](const std::vector<std::string>& command_line) {
    options->job.command_line = command_line;
    return run_gemm(*options);
  });
}

}  // namespace

void add_gemm_command(CommandLine& line) {
  line.add("gemm", "run and check a matrix product C = A * B", options_of_gemm);
}

}  // namespace spica::cli
