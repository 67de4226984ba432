// SPDX-License-Identifier: Apache-2.0
// `spica gemm`: the main job. Makes operands, runs a matrix-product kernel, checks the result.
#include <fmt/format.h>

#include <cctype>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "platform/base/config/choices.h"
#include "platform/cli/commands.h"
#include "platform/cli/described_options.h"
#include "platform/cli/gemm_products.h"
#include "platform/cli/job_options.h"
#include "platform/cli/paths.h"
#include "platform/cli/region_option.h"
#include "platform/cli/summary.h"
#include "platform/machine/loader/argument_block.h"
#include "platform/machine/loader/elf_notes.h"
#include "platform/machine/loader/file.h"
#include "platform/machine/loader/user_error.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/run/job.h"
#include "platform/run/results.h"
#include "platform/workloads/design_file.h"
#include "platform/workloads/gemm/gemm_workload.h"
#include "platform/workloads/gemm_format.h"
#include "platform/workloads/gemm_loads.h"
#include "platform/workloads/npy.h"
#include "platform/workloads/operands.h"
#include "platform/workloads/special_values.h"
#include "platform/workloads/timed_region.h"

namespace spica::cli {

namespace {

struct GemmOptions : workloads::GemmOptions {
  job::JobOptions job;
  std::string c;  // file of numpy for C; empty: none
};

/// The design the user asked for, else the one that is meant for the configuration.
workloads::GemmDesign choose_design(const GemmOptions& options) {
  if (!options.design.empty() || options.config.empty())
    return workloads::read_gemm_design(options.design.empty() ? "virgo-dma" : options.design, configs_dir());
  const auto params =
      config::read<soc::SocParams>(config::load(options.config, options.job.overrides, configs_dir()));
  return workloads::design_for(options.config, params, configs_dir());
}

/// The design, compiled for what was asked for, and what its format asks of the machine.
workloads::GemmDesign design_for_options(const GemmOptions& options, std::vector<std::string>& overrides) {
  workloads::GemmDesign design = choose_design(options);
  const auto machine = [&] {
    const std::string& name = options.config.empty() ? design.config : options.config;
    return config::read<soc::SocParams>(config::load(name, options.job.overrides, configs_dir()));
  };
  if (!options.format.empty())
    design = workloads::in_format(std::move(design), options.format, machine(), overrides);
  if (const workloads::Packing packing = design.packing();
      packing.bits != packing.slot_bits && options.strided())
    throw loader::UserError(fmt::format(
        "--format {}: design {} {}: without --lda, --ldb, --ldc and --convolution", options.format,
        design.name,
        packing.bits < packing.slot_bits
            ? fmt::format("packs {} elements along k into a word", packing.slot_bits / packing.bits)
            : fmt::format("takes {} words for an element", packing.bits / packing.slot_bits)));
  if (options.region == workloads::kRegions.name_of(workloads::Region::kPublished))
    design = workloads::timed_as_published(std::move(design));
  if (options.batch > 1) design = workloads::batched(std::move(design));
  if (options.strided()) design = workloads::strided(std::move(design));
  if (options.reshaped())
    design = workloads::loaded_from(std::move(design), options.form_a, options.form_b, machine(), overrides);
  const auto is_narrow = [](workloads::Element format) { return numeric::info(format).stored_bits <= 8; };
  if (options.scaled &&
      (design.blocks ||
       !(is_narrow(design.element()) || is_narrow(design.stored_a()) || is_narrow(design.stored_b()))) &&
      !options.epilogue.epilogue().has_steps())
    throw loader::UserError(
        fmt::format("--scaled: {} needs no scale for a matrix; formats of 8 bits or less do",
                    design.blocks ? options.format : numeric::info(design.element()).key));
  if (!options.block_scale.empty() && !design.blocks)
    throw loader::UserError(
        fmt::format("--block-scale: {} has no scales for blocks; formats like mxfp8_e4m3 do (--format)",
                    numeric::info(design.element()).key));
  if (options.epilogue.given()) {
    if (options.format.empty()) design = workloads::stored_by(std::move(design), machine());
    design = workloads::finished_by(std::move(design), options.epilogue.epilogue());
  }
  return design;
}

/// Throws UserError when the program cannot do what it was compiled for.
void check_program(const GemmOptions& options, const workloads::GemmDesign& design,
                   const loader::Program& program) {
  const loader::ElfNotes notes = loader::read_notes(program);
  if (options.batch > 1 && !notes.number(workloads::kBatchNote))
    throw loader::UserError(fmt::format(
        "design {}: its kernel computes one product in a run, no batch of them: it has no GEMM_MAIN "
        "(sw/kernels/gemm_common/gemm_arguments.h)",
        design.name));
  if (design.epilogue && !notes.number(workloads::kEpilogueNote))
    throw loader::UserError(fmt::format(
        "design {}: its kernel stores sums as they are, no --bias, --activation or --output-format; designs like virgo-dma, "
        "fp16-virgo, tc, ampere-fp32 and simt do (sw/kernels/gemm_common/epilogue.h)",
        design.name));
  if (options.reshaped() && !notes.number(workloads::kReshapedNote))
    throw loader::UserError(fmt::format(
        "design {}: its kernel takes operands as they are in memory, no --a-format, --b-format, --a-transposed or "
        "--b-transposed; designs like virgo-dma and fp16-virgo do (sw/kernels/gemm_common/reshaped_operands.h)",
        design.name));
  if (options.strided() && !notes.number(workloads::kStridedNote))
    throw loader::UserError(fmt::format(
        "design {}: its kernel takes matrices whose rows follow each other, no --lda, --ldb, --ldc or --convolution; designs "
        "like virgo-dma, fp16-virgo, tc, simt and turing-fp32 do (sw/kernels/gemm_common/gemm_strides.h)",
        design.name));
}

/// What is to be computed; the tile of `design` is that of the program.
ProductsRequest request_of(const GemmOptions& options, const workloads::GemmDesign& design,
                           const std::vector<workloads::GemmSize>& in_a_run) {
  ProductsRequest request;
  request.seed = options.job.seed;
  request.leading = options.leading;
  request.sizes = in_a_run;
  request.scaled = options.scaled;
  request.block_scale =
      config::value_of(workloads::kBlockScales, options.block_scale).value_or(request.block_scale);
  request.of_reals = options.scaled || !options.format.empty() || !options.epilogue.output_format.empty() ||
                     !options.a.empty() || options.reshaped();
  if (options.epilogue.output_scale != 0) request.output_step = options.epilogue.output_scale;
  request.given_bias = options.epilogue.given_bias();
  if (options.batch > 1) request.sizes.assign(options.batch, in_a_run.front());
  if (!options.convolution.empty()) {
    request.convolution = workloads::parse_convolution(options.convolution);
    request.sizes = {workloads::implicit_gemm(*request.convolution, design.tile.k, design.element()).size};
  }
  return request;
}

/// What the summary and the results say of the work: sizes, and what padding adds.
void describe_work(const GemmOptions& options, const workloads::GemmDesign& design,
                   const soc::SocParams& machine, const ProductsRequest& request, const Products& products,
                   job::RunFigures& figures, GemmSummary& summary, std::uint64_t& macs) {
  std::uint64_t all_macs = 0;
  macs = request.convolution ? request.convolution->macs() : 0;
  for (const workloads::GemmSize& size : request.sizes)
    if (!request.convolution) macs += size.macs();
  for (const workloads::GemmSize& size : products.padded()) all_macs += size.macs();
  const std::size_t in_a_run = design.matrix_units.size();
  const auto first_sizes = [&](const std::vector<workloads::GemmSize>& sizes) {
    return workloads::sizes_text({sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(in_a_run)});
  };
  const std::string size_text = first_sizes(request.sizes);
  const std::string what = request.convolution ? "convolution " + request.convolution->text()
                           : options.batch > 1 ? fmt::format("gemm {} x {}", options.batch, size_text)
                                               : "gemm " + size_text;
  summary.title = fmt::format("{} on {} ({})", what, design.name,
                              options.config.empty() ? design.config : options.config);
  figures.details["design"] = design.name;
  figures.details["size"] = size_text;
  if (request.of_reals) {
    figures.details["format"] = options.format.empty() ? numeric::info(design.element()).key : options.format;
    figures.details["accumulate"] = numeric::info(workloads::sums_in(design, machine)).key;
    figures.details["result"] = numeric::info(design.result()).key;
  }
  if (!options.format.empty()) summary.title += " in " + options.format;
  if (!options.block_scale.empty()) {
    summary.title += ", block scales " + options.block_scale;
    figures.details["block_scale"] = options.block_scale;
  }
  for (const auto& [name, form] : {std::pair{"a", options.form_a}, {"b", options.form_b}}) {
    if (!form.given()) continue;
    const std::string format = form.format.empty() ? "" : " from " + form.format;
    summary.title += fmt::format(", {}{}{}", static_cast<char>(std::toupper(name[0])), format,
                                 form.transposed ? " transposed" : "");
    if (!form.format.empty()) figures.details[std::string(name) + "_format"] = form.format;
    if (form.transposed) figures.details[std::string(name) + "_transposed"] = true;
  }
  if (design.epilogue) {
    summary.title += ", " + options.epilogue.text();
    figures.details["bias"] = design.epilogue->bias;
    figures.details["activation"] = options.epilogue.activation;
    figures.details["output_format"] = numeric::info(design.epilogue->output).key;
  }
  if (request.convolution) figures.details["convolution"] = request.convolution->text();
  for (const auto& [name, value] :
       {std::pair{"lda", options.leading.a}, {"ldb", options.leading.b}, {"ldc", options.leading.c}})
    if (value != 0) figures.details[name] = value;
  if (options.batch > 1) figures.details["batch"] = options.batch;
  if (all_macs == macs) return;
  summary.padded = first_sizes(products.padded());
  if (request.convolution) summary.padded_with = "zeros and windows over an edge";
  summary.padded_share = 1 - static_cast<double>(macs) / static_cast<double>(all_macs);
  figures.details["padded_size"] = summary.padded;
}

/// The operands of --a and --b, and with them the size.
void read_operands(const GemmOptions& options, const workloads::GemmDesign& design,
                   std::vector<workloads::GemmSize>& sizes, std::vector<float>& a, std::vector<float>& b) {
  if (design.matrix_units.size() != 1)
    throw loader::UserError(
        fmt::format("design {} computes several products: without --a, --b and --c", design.name));
  if (options.a.empty()) return;
  workloads::NpyMatrix left = workloads::read_npy(options.a, design.element());
  workloads::NpyMatrix right = workloads::read_npy(options.b, design.element());
  if (left.columns != right.rows)
    throw loader::UserError(fmt::format("{} is {} x {} and {} {} x {}: A has as many columns as B has rows",
                                        options.a, left.rows, left.columns, options.b, right.rows,
                                        right.columns));
  if (!design.blocks) {  // a block has its NaN in its scale
    for (const workloads::Element format : {design.stored_a(), design.element()})
      workloads::check_special_values(options.a, left.values, left.columns, format);
    for (const workloads::Element format : {design.stored_b(), design.element()})
      workloads::check_special_values(options.b, right.values, right.columns, format);
  }
  sizes = {{left.rows, right.columns, left.columns}};
  a = std::move(left.values);
  b = std::move(right.values);
}

int run_gemm(const GemmOptions& options) {
  options.check(!options.c.empty());
  std::vector<std::string> of_format;
  workloads::GemmDesign design = design_for_options(options, of_format);
  std::vector<workloads::GemmSize> in_a_run = workloads::parse_sizes(design, options.size);
  std::vector<float> given_a, given_b;
  if (!options.a.empty() || !options.c.empty()) read_operands(options, design, in_a_run, given_a, given_b);
  job::JobOptions job_options = options.job;
  job_options.overrides.insert(job_options.overrides.begin(), of_format.begin(), of_format.end());
  job_options.config = options.config.empty() ? design.config : options.config;
  job_options.elf_for = [&](const soc::SocParams& params) {
    workloads::check_machine(design, params);
    return program_of(design, job_options.config, job_options.overrides, params);
  };
  if (!job_options.checks.empty() && !design.suppressions_file.empty())
    job_options.suppressions.push_back(design.suppressions_file);
  job_options.show_console = false;
  job_options.grid_later = design.work_groups;
  job::Job job(job_options, configs_dir());
  if (options.format.empty()) design = workloads::stored_by(std::move(design), job.params());
  take_tile(design, job.program());
  check_program(options, design, job.program());
  const std::string window = workloads::timed_window(design.name, workloads::window_name(design.window),
                                                     loader::read_notes(job.program()), options.region);
  ProductsRequest request = request_of(options, design, in_a_run);
  request.given_a = std::move(given_a);
  request.given_b = std::move(given_b);
  const Products products(request, design, job.params());
  products.write(job);
  if (design.work_groups) {
    const workloads::GemmSize& size = products.padded().front();
    job.run_grid("gemm",
                 fmt::format("{}x{}x{}", size.n / design.tile.n, size.m / design.tile.m, options.batch));
  }

  const job::JobOutcome& outcome = job.run();
  job::RunFigures figures;
  GemmSummary summary;
  std::uint64_t macs = 0;
  describe_work(options, design, job.params(), request, products, figures, summary, macs);
  summary.bitwise = workloads::is_checked_bitwise(design);
  report_region(window, job, outcome, figures, summary);
  figures.details["seed"] = options.job.seed;
  const auto peak = static_cast<double>(workloads::peak_macs(design, job.params()));
  summary.utilisation = static_cast<double>(macs) / peak / static_cast<double>(outcome.kernel_cycles);
  if (outcome.good()) {  // else not all was computed
    figures.utilisation = summary.utilisation;
    figures.multiply_adds = summary.multiply_adds = macs;
    summary.check = products.check(job, summary.matrix);
    if (request.of_reals) {
      const workloads::FormatErrors errors = products.format_errors(job);
      figures.details["max_error"] = errors.max;
      figures.details["rms_error"] = errors.rms;
      std::string format = options.format.empty() ? numeric::info(design.element()).key : options.format;
      if (!options.epilogue.output_format.empty()) format += ", rounded to " + options.epilogue.output_format;
      summary.note =
          fmt::format("error of {}: {:.3g} at most, {:.3g} rms (against operands before they were rounded)",
                      format, errors.max, errors.rms);
    }
    if (const std::string notes = products.special_notes(); !notes.empty())
      summary.note += (summary.note.empty() ? "" : "; ") + notes;
  }
  const bool verified = outcome.good() && outcome.guest_exit_code == 0 && summary.check->correct;
  figures.verified = verified;
  if (summary.check) {
    figures.details["largest_error"] = summary.check->largest_error;
    figures.details["allowed_error"] = summary.check->allowed_at_largest;
  }
  if (products.scale() != 1) figures.details["scale"] = products.scale();
  if (outcome.good() && !options.c.empty())
    job.troubles().attempt(
        [&] { loader::write_file(options.c, products.result_file(job, request.sizes.front())); });
  job.write_results(figures);
  job.troubles().attempt([&] { print_summary(job, outcome, summary); });
  return job.troubles().exit_code(verified && outcome.clean() ? 0 : 1);
}

void options_of_gemm(Command& command) {
  const auto workload = std::make_shared<workloads::GemmWorkload>(places());
  const auto options = std::make_shared<GemmOptions>();
  add_described(command, workload->options());
  command.option(
      "--c", options->c,
      "write C to a file of numpy: float32, float16 or int32 (bfloat16 as float32), or of --output-format");
  add_job_options(command, options->job);
  command.flag("--annotate", options->job.annotate,
               "print the kernel's source with cycles and energy per line");
  add_annotation_options(command, options->job);
  command.action([workload, options](const std::vector<std::string>& command_line) {
    static_cast<workloads::GemmOptions&>(*options) = workload->asked;
    options->job.seed = options->seed;
    options->job.command_line = command_line;
    return run_gemm(*options);
  });
}

}  // namespace

void add_gemm_command(CommandLine& line) {
  line.add("gemm", "run and check a matrix product C = A * B", options_of_gemm);
}

}  // namespace spica::cli
