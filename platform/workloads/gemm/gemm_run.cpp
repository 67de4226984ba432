// SPDX-License-Identifier: Apache-2.0
// A run of GemmWorkload: makes operands, runs a matrix-product kernel, checks the result.
#include <fmt/format.h>

#include <cctype>
#include <nlohmann/json.hpp>

#include "models/numeric/silicon.h"
#include "platform/base/config/choices.h"
#include "platform/base/input/file.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/run/job.h"
#include "platform/workloads/design_file.h"
#include "platform/workloads/figures.h"
#include "platform/workloads/gemm/gemm_workload.h"
#include "platform/workloads/gemm_format.h"
#include "platform/workloads/gemm_loads.h"
#include "platform/workloads/npy.h"
#include "platform/workloads/region_figures.h"
#include "platform/workloads/special_values.h"
#include "platform/workloads/timed_region.h"

namespace spica::workloads {

namespace {

/// Throws UserError when the program cannot do what it was compiled for.
void check_program(const GemmOptions& options, const GemmDesign& design, const loader::Program& program) {
  const loader::ElfNotes& notes = program.notes;
  for (const KernelVariant& variant : options.variants())
    if (!notes.number(variant.note))
      throw input::UserError(fmt::format("design {}: {}", design.name, variant.refusal));
  if (design.epilogue && !notes.number(kEpilogueNote))
    throw input::UserError(fmt::format(
        "design {}: its kernel stores sums unchanged, without --bias, --activation or --output-format; "
        "designs like virgo-dma, "
        "fp16-virgo, tc, ampere-fp32 and simt do (sw/kernels/gemm_common/epilogue.h)",
        design.name));
  if (design.scale_depth != 0 && !notes.number(kScalesNote))
    throw input::UserError(fmt::format(
        "design {}: its kernel has no block scales; designs like ampere-fp32 do (sw/kernels/gemm_cutlass)",
        design.name));
  if (design.scale_depth != 0 && options.batch > 1)
    throw input::UserError(
        fmt::format("--batch: design {} computes one product with block scales in a run", design.name));
  if (options.reshaped() && !notes.number(kReshapedNote))
    throw input::UserError(fmt::format(
        "design {}: its kernel reads operands unchanged, without --a-format, --b-format, --a-transposed or "
        "--b-transposed; designs like virgo-dma and fp16-virgo do (sw/kernels/gemm_common/reshaped_operands.h)",
        design.name));
}

/// The rest of a request from the options; the tile of `design` is that of the program.
void complete(ProductsRequest& request, const GemmOptions& options, const GemmDesign& design) {
  request.seed = options.seed;
  request.leading = options.leading;
  request.scaled = options.scaled;
  request.block_scale = config::value_of(kBlockScales, options.block_scale).value_or(request.block_scale);
  request.of_reals = options.scaled || !options.format.empty() || !options.epilogue.output_format.empty() ||
                     !options.a.empty() || options.reshaped();
  if (options.epilogue.output_scale != 0) request.output_step = options.epilogue.output_scale;
  request.given_bias = options.epilogue.given_bias();
  if (options.batch > 1) request.sizes.assign(options.batch, GemmSize(request.sizes.front()));
  if (!options.convolution.empty()) {
    request.convolution = parse_convolution(options.convolution);
    request.sizes = {implicit_gemm(*request.convolution, design.tile.k, design.element()).size};
  }
}

}  // namespace

/// The design that was asked for, else the one that is meant for the configuration; compiled for the other options.
/// `of_format`: what its format asks of the machine.
GemmDesign GemmWorkload::design_for_options(const std::vector<std::string>& overrides,
                                            std::vector<std::string>& of_format) const {
  // Some values suit the format and not that of the design, such as numerics.
  const auto unbuilt = [&](const std::string& config) {
    return config::read_unchecked<soc::SocParams>(config::load(config, overrides, places_.configs));
  };
  GemmDesign design =
      asked.design.empty() && !asked.config.empty()
          ? design_for(asked.config, unbuilt(asked.config), places_.configs)
          : read_gemm_design(asked.design.empty() ? kUsualDesign : asked.design, places_.configs);
  const std::string config = asked.config.empty() ? design.config : asked.config;
  const auto machine = [&] {
    std::vector<std::string> all = of_format;
    all.insert(all.end(), overrides.begin(), overrides.end());
    return config::read<soc::SocParams>(config::load(config, all, places_.configs));
  };
  if (!asked.format.empty()) design = in_format(std::move(design), asked.format, unbuilt(config), of_format);
  if (const Packing packing = design.packing(); packing.bits != packing.slot_bits && asked.strided())
    throw input::UserError(fmt::format(
        "--format {}: design {} {}; omit --lda, --ldb, --ldc and --convolution", asked.format, design.name,
        packing.bits < packing.slot_bits
            ? fmt::format("packs {} elements along k into a word", packing.slot_bits / packing.bits)
            : fmt::format("takes {} words for an element", packing.bits / packing.slot_bits)));
  if (asked.region == kRegions.name_of(Region::kPublished)) design = timed_as_published(std::move(design));
  for (const KernelVariant& variant : asked.variants())
    design = compiled_for(std::move(design), variant.define, variant.arguments, variant.what);
  if (asked.reshaped())
    design = loaded_from(std::move(design), asked.form_a, asked.form_b, machine(), of_format);
  const auto is_narrow = [](Element format) { return numeric::info(format).stored_bits <= 8; };
  if (asked.scaled &&
      (design.blocks ||
       !(is_narrow(design.element()) || is_narrow(design.stored_a()) || is_narrow(design.stored_b()))) &&
      !asked.epilogue.epilogue().has_steps())
    throw input::UserError(
        fmt::format("--scaled: {} needs no scale for a matrix; formats of 8 bits or less do",
                    design.blocks ? asked.format : numeric::info(design.element()).key));
  if (!asked.block_scale.empty() && !design.blocks)
    throw input::UserError(
        fmt::format("--block-scale: {} has no scales for blocks; formats like mxfp8_e4m3 do (--format)",
                    numeric::info(design.element()).key));
  if (asked.epilogue.given()) {
    if (asked.format.empty()) design = stored_by(std::move(design), machine());
    design = finished_by(std::move(design), asked.epilogue.epilogue());
  }
  return design;
}

/// What the summary and the results say of the work: sizes, and what padding adds. Returns the multiply-adds.
std::uint64_t GemmWorkload::describe_work(const soc::SocParams& machine, Figures& figures) const {
  json::Value& details = figures.run.details;
  Summary& summary = figures.summary;
  std::uint64_t all_macs = 0, macs = request_.convolution ? request_.convolution->macs() : 0;
  for (const GemmSize& size : request_.sizes)
    if (!request_.convolution) macs += size.macs();
  for (const GemmSize& size : products_->padded()) all_macs += size.macs();
  const std::size_t in_a_run = design_.matrix_units.size();
  const auto first_sizes = [&](const std::vector<GemmSize>& sizes) {
    return sizes_text({sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(in_a_run)});
  };
  const std::string size_text = first_sizes(request_.sizes);
  const std::string what = request_.convolution ? "convolution " + request_.convolution->text()
                           : asked.batch > 1    ? fmt::format("gemm {} x {}", asked.batch, size_text)
                                                : "gemm " + size_text;
  summary.title =
      fmt::format("{} on {} ({})", what, design_.name, asked.config.empty() ? design_.config : asked.config);
  details["design"] = design_.name;
  details["size"] = size_text;
  if (request_.of_reals) {
    details["format"] = asked.format.empty() ? numeric::info(design_.element()).key : asked.format;
    details["accumulate"] = numeric::info(sums_in(design_, machine)).key;
    details["result"] = numeric::info(design_.result()).key;
  }
  if (!asked.format.empty()) summary.title += " in " + asked.format;
  if (!asked.block_scale.empty()) {
    summary.title += ", block scales " + asked.block_scale;
    details["block_scale"] = asked.block_scale;
  }
  for (const auto& [name, form] : {std::pair{"a", asked.form_a}, {"b", asked.form_b}}) {
    if (!form.given()) continue;
    const std::string format = form.format.empty() ? "" : " from " + form.format;
    summary.title += fmt::format(", {}{}{}", static_cast<char>(std::toupper(name[0])), format,
                                 form.transposed ? " transposed" : "");
    if (!form.format.empty()) details[std::string(name) + "_format"] = form.format;
    if (form.transposed) details[std::string(name) + "_transposed"] = true;
  }
  if (design_.epilogue) {
    summary.title += ", " + asked.epilogue.text();
    details["bias"] = design_.epilogue->bias;
    details["activation"] = asked.epilogue.activation;
    details["output_format"] = numeric::info(design_.epilogue->output).key;
  }
  if (request_.convolution) details["convolution"] = request_.convolution->text();
  const std::vector<KernelVariant> variants = asked.variants();
  for (auto variant = variants.rbegin(); variant != variants.rend(); ++variant)
    for (const auto& [name, value] : variant->details)
      if (value != 0) details[name] = value;
  if (all_macs == macs) return macs;
  summary.padded = first_sizes(products_->padded());
  if (request_.convolution) summary.padded_with = "zeros and windows over an edge";
  summary.padded_share = 1 - static_cast<double>(macs) / static_cast<double>(all_macs);
  details["padded_size"] = summary.padded;
  return macs;
}

/// The operands of --a and --b, and with them the size.
void GemmWorkload::read_operands() {
  if (design_.matrix_units.size() != 1)
    throw input::UserError(
        fmt::format("design {} computes several products; omit --a, --b and --c", design_.name));
  if (asked.a.empty()) return;
  NpyMatrix left = read_npy(asked.a, design_.element());
  NpyMatrix right = read_npy(asked.b, design_.element());
  if (left.columns != right.rows)
    throw input::UserError(
        fmt::format("{} is {} x {} and {} {} x {}: A must have as many columns as B has "
                    "rows",
                    asked.a, left.rows, left.columns, asked.b, right.rows, right.columns));
  if (!design_.blocks) {  // a block has its NaN in its scale
    for (const Element format : {design_.stored_a(), design_.element()})
      check_special_values(asked.a, left.values, left.columns, format);
    for (const Element format : {design_.stored_b(), design_.element()})
      check_special_values(asked.b, right.values, right.columns, format);
  }
  request_.sizes = {{left.rows, right.columns, left.columns}};
  request_.given_a = std::move(left.values);
  request_.given_b = std::move(right.values);
}

void GemmWorkload::choose(job::JobOptions& job) {
  asked.check(!outputs_.c.empty());
  std::vector<std::string> of_format;
  design_ = design_for_options(job.overrides, of_format);
  request_.sizes = parse_sizes(design_, asked.size);
  if (!asked.a.empty() || !outputs_.c.empty()) read_operands();
  job.seed = asked.seed;
  job.overrides.insert(job.overrides.begin(), of_format.begin(), of_format.end());
  job.config = asked.config.empty() ? design_.config : asked.config;
  choose_program(job, design_, places_);
  job.grid_later = design_.work_groups;
}

void GemmWorkload::prepare(job::Job& job) {
  if (asked.format.empty()) design_ = stored_by(std::move(design_), job.params());
  take_tile(design_, job.program());
  check_program(asked, design_, job.program());
  window_ = timed_window(design_.name, window_name(design_.window), job.program().notes, asked.region);
  complete(request_, asked, design_);
  products_.emplace(request_, design_, job.params());
  products_->write(job);
  if (!design_.work_groups) return;
  const GemmSize& size = products_->padded().front();
  job.run_grid("gemm",
               fmt::format("{}x{}x{}", size.n / design_.tile.n, size.m / design_.tile.m, asked.batch));
}

void GemmWorkload::check(job::Job& job, const job::JobOutcome&) {
  found_ = products_->check(job, wrong_matrix_);
  if (request_.of_reals) errors_ = products_->format_errors(job);
  if (!outputs_.c.empty())
    job.host_errors().attempt(
        [&] { input::write_file(outputs_.c, products_->result_file(job, request_.sizes.front())); });
}

Figures GemmWorkload::figures(job::Job& job, const job::JobOutcome& outcome) {
  Figures figures;
  Summary& summary = figures.summary;
  json::Value& details = figures.run.details;
  const std::uint64_t macs = describe_work(job.params(), figures);
  summary.bitwise = is_checked_bitwise(design_);
  add_region(figures, window_, job, outcome);
  details["seed"] = asked.seed;
  if (design_.unit != ComputeUnit::kLanes) {
    summary.sums = design_.operands.c.element == Element::kInt32
                       ? numeric::text(numeric::integer_rule())
                       : text(unit_arithmetic(design_, job.params()));
    details["numerics"] = summary.sums;
  }
  figures.add_work(macs, static_cast<double>(peak_macs(design_, job.params())), outcome);
  summary.matrix = wrong_matrix_;
  summary.check = found_;
  if (errors_) {
    details["max_error"] = errors_->max;
    details["rms_error"] = errors_->rms;
    std::string format = asked.format.empty() ? numeric::info(design_.element()).key : asked.format;
    if (!asked.epilogue.output_format.empty()) format += ", rounded to " + asked.epilogue.output_format;
    summary.note =
        fmt::format("error of {}: {:.3g} at most, {:.3g} rms (against operands before they were rounded)",
                    format, errors_->max, errors_->rms);
  }
  if (const std::string notes = found_ ? products_->special_notes() : std::string(); !notes.empty())
    summary.note += (summary.note.empty() ? "" : "; ") + notes;
  figures.run.verified = found_ && found_->correct && outcome.guest_exit_code == 0;
  if (found_) {
    details["largest_error"] = found_->largest_error;
    details["allowed_error"] = found_->allowed_at_largest;
  }
  if (products_->scale() != 1) details["scale"] = products_->scale();
  return figures;
}

}  // namespace spica::workloads
