// SPDX-License-Identifier: Apache-2.0
// `spica attention`: flash attention forward. Makes Q, K and V, runs a kernel, checks the output.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "models/numeric/convert.h"
#include "platform/cli/commands.h"
#include "platform/cli/described_options.h"
#include "platform/cli/job_options.h"
#include "platform/cli/paths.h"
#include "platform/cli/region_option.h"
#include "platform/cli/summary.h"
#include "platform/machine/loader/argument_block.h"
#include "platform/machine/loader/elf_notes.h"
#include "platform/machine/loader/user_error.h"
#include "platform/run/job.h"
#include "platform/run/results.h"
#include "platform/workloads/arithmetic.h"
#include "platform/workloads/attention/attention_workload.h"
#include "platform/workloads/attention_check.h"
#include "platform/workloads/attention_exact.h"
#include "platform/workloads/design_file.h"
#include "platform/workloads/timed_region.h"

namespace spica::cli {

namespace {

struct AttentionOptions : workloads::AttentionOptions {
  job::JobOptions job;
};

std::uint64_t output_address(const workloads::AttentionSize& size, std::size_t head) {
  return workloads::kOutputAddress + head * size.elements() * sizeof(float);
}

/// `heads`: the operands of each.
void write_memory(job::Job& job, const workloads::AttentionDesign& design,
                  const workloads::AttentionSize& size,
                  const std::vector<workloads::AttentionOperands>& heads) {
  for (std::size_t head = 0; head < heads.size(); ++head) {
    const std::string number = heads.size() > 1 ? std::to_string(head) : "";
    const numeric::FormatInfo& format = numeric::info(design.element);
    const bool in_order = design.layout == workloads::AttentionLayout::kRowMajor;
    const auto write = [&](const char* name, std::uint64_t address, const std::vector<unsigned char>& bytes,
                           std::uint64_t line, bool columns) {
      const std::uint64_t place = address + head * bytes.size();
      job.name_buffer(name + number, place, bytes.size(),
                      {format.key, format.stored_bits, in_order ? line : 0, columns}, true);
      job.write(place, bytes.data(), bytes.size());
    };
    const workloads::AttentionMemory memory = workloads::attention_memory(design, size, heads[head]);
    write("Q", workloads::kQueryAddress, memory.q, size.head_dim, false);
    write("K", workloads::kKeyAddress, memory.k, size.sequence, true);
    write("V", workloads::kValueAddress, memory.v, size.head_dim, false);
    job.name_buffer("O" + number, output_address(size, head),
                    std::uint64_t{size.rows()} * size.head_dim * sizeof(float),
                    {"fp32", 32, size.head_dim, false});
  }
  const auto block = workloads::attention_arguments(size, design.element);
  job.write(loader::kArgumentBlockAddress, block.data(), block.size());
}

/// The design of that name or file, or what it names for the other element, and what that asks of the machine.
workloads::AttentionDesign design_of(const AttentionOptions& options, std::vector<std::string>& overrides) {
  workloads::AttentionDesign design = workloads::read_attention_design(options.design, configs_dir());
  const bool fp16 = design.element == workloads::Element::kFp16;
  if (options.element.empty() || options.element == numeric::info(design.element).key) return design;
  const bool has_no_other = fp16 ? options.element == "fp32" : design.fp16.empty();
  if (has_no_other)
    throw loader::UserError(
        fmt::format("attention design {} is for {} only", design.name,
                    fp16 ? "FP16, BF16 and FP8" : workloads::element_name(design.element)));
  workloads::AttentionDesign half =
      fp16 ? design : workloads::read_attention_design(design.fp16, configs_dir());
  if (options.element == "fp16") return half;
  return workloads::in_element(std::move(half), *numeric::format_of_key(options.element), overrides);
}

/// All heads, as if they were one. With several, `matrix` names the first that is wrong. `reals`: of each head its operands
/// before they were rounded, or none.
workloads::AttentionCheck check_heads(job::Job& job, const workloads::AttentionDesign& design,
                                      const workloads::AttentionSize& size,
                                      workloads::Exponential exponential,
                                      const std::vector<workloads::AttentionOperands>& heads,
                                      const std::vector<workloads::AttentionOperands>& reals,
                                      std::string& matrix) {
  workloads::AttentionCheck all;
  for (std::size_t head = 0; head < heads.size(); ++head) {
    std::vector<float> o(std::uint64_t{size.rows()} * size.head_dim);
    job.read(output_address(size, head), o.data(), o.size() * sizeof(float));
    workloads::AttentionCheck one = workloads::check_attention(
        size, heads[head], exponential, design.rescaling, workloads::roundings_of(design, job.params()), o);
    if (workloads::is_exact(design)) {
      const std::vector<float> exact =
          workloads::exact_attention(design, size, heads[head], exponential, job.params());
      workloads::take_bits(one, workloads::different_elements(exact, o));
    }
    if (!reals.empty()) workloads::add_format_errors(one, size, reals[head], o);
    if (heads.size() > 1 && !one.output.correct && (head == 0 || all.output.correct))
      matrix = fmt::format("O{}", head);
    if (head == 0) all = one;
    else workloads::add(all, one);
  }
  return all;
}

/// The ELF file for that exponential.
std::string kernel_of(const workloads::AttentionDesign& design, workloads::Exponential exponential) {
  if (exponential == workloads::Exponential::kExact)
    return design.kernel_file.empty() ? kernel_path(design.kernel) : design.kernel_file;
  if (design.polynomial_kernel.empty())
    throw loader::UserError(fmt::format("attention design {} has no polynomial_kernel", design.name));
  return design.polynomial_file.empty() ? kernel_path(design.polynomial_kernel) : design.polynomial_file;
}

int run_attention(const AttentionOptions& options) {
  std::vector<std::string> of_element;
  workloads::AttentionDesign design = design_of(options, of_element);
  const std::string_view own_window = workloads::kAttentionWindows.name_of(design.window);
  design.published_region = options.region == workloads::kRegions.name_of(workloads::Region::kPublished) &&
                            own_window != workloads::kResultsWindow && !design.source.empty();
  const workloads::AttentionSize& size = options.size;
  const workloads::Exponential exponential = options.exponential;
  const std::string exponential_name(workloads::kExponentials.name_of(exponential));
  workloads::check_attention_size(design, size, exponential);
  job::JobOptions job_options = options.job;
  job_options.overrides.insert(job_options.overrides.begin(), of_element.begin(), of_element.end());
  job_options.elf_for = [&](const soc::SocParams& params) {
    workloads::check_attention_machine(design, params);
    const auto defines = workloads::attention_defines(design, size, exponential, params);
    return defines
               ? compiler::KernelCompiler(kernel_home())
                     .elf({design.source_file, *defines, params.cluster.shared_memory.size, design.toolchain})
               : kernel_of(design, exponential);
  };
  if (job_options.config.empty()) job_options.config = design.config;
  job_options.show_console = false;
  job::Job job(job_options, configs_dir());
  const loader::ElfNotes notes = loader::read_notes(job.program());
  const std::string window = workloads::timed_window(design.name, own_window, notes, options.region);
  if (const char* note = workloads::element_note(design.element); note != nullptr && !notes.number(note))
    throw loader::UserError(fmt::format(
        "attention design {}: its source knows no {} (those that come with Spica for FP16 know BF16 and FP8)",
        design.name, workloads::element_name(design.element)));
  // An element that is asked for gets the same numbers as all others, rounded.
  const bool of_reals = !options.element.empty();
  std::vector<workloads::AttentionOperands> heads, reals;
  for (std::uint32_t head = 0; head < size.heads; ++head) {
    heads.push_back(workloads::make_attention_operands(
        size, options.job.seed, options.spread, of_reals ? workloads::Element::kFp32 : design.element, head));
    if (!of_reals) continue;
    reals.push_back(heads.back());
    heads.back() = workloads::rounded(std::move(heads.back()), design.element);
  }
  write_memory(job, design, size, heads);

  const job::JobOutcome& outcome = job.run();
  job::RunFigures figures;
  GemmSummary summary;
  summary.title =
      fmt::format("attention {} on {}{}, {} exponential ({})", size.text(), design.name,
                  of_element.empty() ? "" : " in " + options.element, exponential_name, job_options.config);
  summary.matrix = "O";
  summary.bitwise = workloads::is_exact(design);
  const auto peak = static_cast<double>(workloads::peak_macs(design, job.params()));
  summary.utilisation = static_cast<double>(size.macs()) / peak / static_cast<double>(outcome.kernel_cycles);
  if (outcome.good()) {  // else not all was computed
    figures.utilisation = summary.utilisation;
    figures.multiply_adds = summary.multiply_adds = size.macs();
  }
  figures.details["design"] = design.name;
  figures.details["element"] = numeric::info(design.element).key;
  figures.details["accumulate"] = numeric::info(workloads::Element::kFp32).key;
  figures.details["exponential"] = exponential_name;
  figures.details["sequence"] = size.sequence;
  figures.details["head_dim"] = size.head_dim;
  figures.details["queries"] = size.rows();
  if (size.heads != 1) figures.details["heads"] = size.heads;
  if (size.causal) figures.details["causal"] = true;
  report_region(window, job, outcome, figures, summary);
  figures.details["spread"] = options.spread;
  figures.details["seed"] = options.job.seed;
  if (outcome.good() && outcome.guest_exit_code == 0) {
    const workloads::AttentionCheck check =
        check_heads(job, design, size, exponential, heads, reals, summary.matrix);
    summary.check = check.output;
    figures.details["largest_error"] = check.output.largest_error;
    figures.details["allowed_error"] = check.output.allowed_at_largest;
    figures.details["largest_output"] = check.largest_output;
    if (exponential == workloads::Exponential::kPolynomial) {
      figures.details["distance_to_softmax"] = check.distance_to_softmax;
      summary.note =
          fmt::format("the polynomial's output is up to {:.2g} from the true softmax (|O| up to {:.2g})",
                      check.distance_to_softmax, check.largest_output);
    }
    if (of_reals) {
      const workloads::FormatErrors errors = workloads::format_errors(
          check.output, static_cast<double>(size.heads) * size.rows() * size.head_dim);
      figures.details["max_error"] = errors.max;
      figures.details["rms_error"] = errors.rms;
      summary.note += fmt::format(
          "{}error of {}: {:.3g} at most, {:.3g} rms (against softmax of operands before they were rounded)",
          summary.note.empty() ? "" : "; ", options.element, errors.max, errors.rms);
    }
    figures.details["undetermined"] = check.undetermined;
    summary.comparable = check.undetermined == 0;
    if (!summary.comparable)
      summary.note += fmt::format(
          "{}of {} of {} elements the errors of scores leave nothing to compare: choose a smaller --spread",
          summary.note.empty() ? "" : "; ", check.undetermined,
          std::uint64_t{size.heads} * size.rows() * size.head_dim);
  }
  const bool verified = summary.check && summary.check->correct;
  figures.verified = verified;
  job.write_results(figures);
  job.troubles().attempt([&] { print_summary(job, outcome, summary); });
  return job.troubles().exit_code(verified && outcome.clean() ? 0 : 1);
}

void options_of_attention(Command& command) {
  const auto workload = std::make_shared<workloads::AttentionWorkload>(places());
  const auto options = std::make_shared<AttentionOptions>();
  add_described(command, workload->options());
  add_job_options(command, options->job);
  command.action([workload, options](const std::vector<std::string>& command_line) {
    static_cast<workloads::AttentionOptions&>(*options) = workload->asked;
    options->job.config = options->config;
    options->job.seed = options->seed;
    options->job.command_line = command_line;
    return run_attention(*options);
  });
}

}  // namespace

void add_attention_command(CommandLine& line) {
  line.add("attention", "run and check flash attention, O = softmax(Q K^T / sqrt(d)) V",
           options_of_attention);
}

}  // namespace spica::cli
