// SPDX-License-Identifier: Apache-2.0
// A run of AttentionWorkload: makes Q, K and V, runs a kernel, checks the output.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "models/numeric/convert.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/loader/argument_block.h"
#include "platform/run/job.h"
#include "platform/workloads/arithmetic.h"
#include "platform/workloads/attention/attention_workload.h"
#include "platform/workloads/attention_exact.h"
#include "platform/workloads/design_file.h"
#include "platform/workloads/figures.h"
#include "platform/workloads/region_figures.h"

namespace spica::workloads {

namespace {

std::uint64_t output_address(const AttentionSize& size, std::size_t head) {
  return kOutputAddress + head * size.elements() * sizeof(float);
}

/// `heads`: the operands of each.
void write_memory(job::Job& job, const AttentionDesign& design, const AttentionSize& size,
                  const std::vector<AttentionOperands>& heads) {
  for (std::size_t head = 0; head < heads.size(); ++head) {
    const std::string number = heads.size() > 1 ? std::to_string(head) : "";
    const numeric::FormatInfo& format = numeric::info(design.element);
    const bool in_order = design.layout == AttentionLayout::kRowMajor;
    const auto write = [&](const char* name, std::uint64_t address, const std::vector<unsigned char>& bytes,
                           std::uint64_t line, bool columns) {
      const std::uint64_t place = address + head * bytes.size();
      job.name_buffer(name + number, place, bytes.size(),
                      {format.key, format.stored_bits, in_order ? line : 0, columns}, true);
      job.write(place, bytes.data(), bytes.size());
    };
    const AttentionMemory memory = attention_memory(design, size, heads[head]);
    write("Q", kQueryAddress, memory.q, size.head_dim, false);
    write("K", kKeyAddress, memory.k, size.sequence, true);
    write("V", kValueAddress, memory.v, size.head_dim, false);
    job.name_buffer("O" + number, output_address(size, head),
                    std::uint64_t{size.rows()} * size.head_dim * sizeof(float),
                    {"fp32", 32, size.head_dim, false});
  }
  const auto block = attention_arguments(size, design.element);
  job.write(loader::kArgumentBlockAddress, block.data(), block.size());
}

/// The design of that name or file, or what it names for the other element, and what that asks of the machine.
AttentionDesign design_of(const AttentionOptions& options, const std::filesystem::path& configs,
                          std::vector<std::string>& overrides) {
  AttentionDesign design = read_attention_design(options.design, configs);
  const bool fp16 = design.element == Element::kFp16;
  if (options.format.empty() || options.format == numeric::info(design.element).key) return design;
  const bool has_no_other = fp16 ? options.format == "fp32" : design.fp16.empty();
  if (has_no_other)
    throw input::UserError(fmt::format("attention design {} is for {} only", design.name,
                                       fp16 ? "FP16, BF16 and FP8" : element_name(design.element)));
  AttentionDesign half = fp16 ? design : read_attention_design(design.fp16, configs);
  if (options.format == "fp16") return half;
  return in_element(std::move(half), *numeric::format_of_key(options.format), overrides);
}

/// All heads, as if they were one. With several, `matrix` names the first that is wrong. `reals`: of each head its
/// operands before they were rounded, or none.
AttentionCheck check_heads(job::Job& job, const AttentionDesign& design, const AttentionSize& size,
                           Exponential exponential, const std::vector<AttentionOperands>& heads,
                           const std::vector<AttentionOperands>& reals, std::string& matrix) {
  AttentionCheck all;
  for (std::size_t head = 0; head < heads.size(); ++head) {
    std::vector<float> o(std::uint64_t{size.rows()} * size.head_dim);
    job.read(output_address(size, head), o.data(), o.size() * sizeof(float));
    AttentionCheck one = check_attention(size, heads[head], exponential, design.rescaling,
                                         roundings_of(design, job.params()), o);
    if (is_exact(design)) {
      const std::vector<float> exact = exact_attention(design, size, heads[head], exponential, job.params());
      take_bits(one, different_elements(exact, o));
    }
    if (!reals.empty()) add_format_errors(one, size, reals[head], o);
    if (heads.size() > 1 && !one.output.correct && (head == 0 || all.output.correct))
      matrix = fmt::format("O{}", head);
    if (head == 0) all = one;
    else add(all, one);
  }
  return all;
}

/// The ELF file for that exponential.
std::string kernel_of(const AttentionDesign& design, Exponential exponential, const Places& places) {
  if (exponential == Exponential::kExact)
    return design.kernel_file.empty() ? places.kernel(design.kernel) : design.kernel_file;
  if (design.polynomial_kernel.empty())
    throw input::UserError(fmt::format("attention design {} has no polynomial_kernel", design.name));
  return design.polynomial_file.empty() ? places.kernel(design.polynomial_kernel) : design.polynomial_file;
}

}  // namespace

void AttentionWorkload::choose(job::JobOptions& job) {
  std::vector<std::string> of_element;
  design_ = design_of(asked, places_.configs, of_element);
  is_rounded_ = !of_element.empty();
  const std::string_view own_window = kAttentionWindows.name_of(design_.window);
  design_.published_region = asked.region == kRegions.name_of(Region::kPublished) &&
                             own_window != kResultsWindow && !design_.source.empty();
  check_attention_size(design_, asked.size, asked.exponential);
  job.seed = asked.seed;
  job.overrides.insert(job.overrides.begin(), of_element.begin(), of_element.end());
  job.elf_for = [this](const soc::SocParams& params) {
    check_attention_machine(design_, params);
    const auto defines = attention_defines(design_, asked.size, asked.exponential, params);
    return defines ? places_.compiled({design_.source_file, *defines, params.cluster.shared_memory.size,
                                       design_.toolchain})
                   : kernel_of(design_, asked.exponential, places_);
  };
  job.config = asked.config.empty() ? design_.config : asked.config;
}

void AttentionWorkload::prepare(job::Job& job) {
  const loader::ElfNotes& notes = job.program().notes;
  window_ = timed_window(design_.name, kAttentionWindows.name_of(design_.window), notes, asked.region);
  if (const char* note = element_note(design_.element); note != nullptr && !notes.number(note))
    throw input::UserError(fmt::format(
        "attention design {}: its source does not support {} (the FP16 sources of Spica support BF16 and "
        "FP8)",
        design_.name, element_name(design_.element)));
  // An element that is asked for gets the same numbers as all others, rounded.
  const bool of_reals = !asked.format.empty();
  for (std::uint32_t head = 0; head < asked.size.heads; ++head) {
    heads_.push_back(make_attention_operands(asked.size, asked.seed, asked.spread,
                                             of_reals ? Element::kFp32 : design_.element, head));
    if (!of_reals) continue;
    reals_.push_back(heads_.back());
    heads_.back() = rounded(std::move(heads_.back()), design_.element);
  }
  write_memory(job, design_, asked.size, heads_);
}

void AttentionWorkload::check(job::Job& job, const job::JobOutcome& outcome) {
  if (outcome.guest_exit_code == 0)
    found_ = check_heads(job, design_, asked.size, asked.exponential, heads_, reals_, wrong_matrix_);
}

Figures AttentionWorkload::figures(job::Job& job, const job::JobOutcome& outcome) {
  Figures figures;
  Summary& summary = figures.summary;
  json::Value& details = figures.run.details;
  const AttentionSize& size = asked.size;
  const std::string exponential(kExponentials.name_of(asked.exponential));
  summary.title = fmt::format("attention {} on {}{}, {} exponential ({})", size.text(), design_.name,
                              is_rounded_ ? " in " + asked.format : "", exponential, job.options().config);
  summary.matrix = wrong_matrix_;
  summary.bitwise = is_exact(design_);
  figures.add_work(size.macs(), static_cast<double>(peak_macs(design_, job.params())), outcome);
  details["design"] = design_.name;
  details["element"] = numeric::info(design_.element).key;
  details["accumulate"] = numeric::info(Element::kFp32).key;
  details["exponential"] = exponential;
  details["sequence"] = size.sequence;
  details["head_dim"] = size.head_dim;
  details["queries"] = size.rows();
  if (size.heads != 1) details["heads"] = size.heads;
  if (size.causal) details["causal"] = true;
  add_region(figures, window_, job, outcome);
  details["spread"] = asked.spread;
  details["seed"] = asked.seed;
  figures.run.verified = found_ && found_->output.correct;
  if (found_) describe_check(*found_, figures);
  return figures;
}

void AttentionWorkload::describe_check(const AttentionCheck& check, Figures& figures) const {
  Summary& summary = figures.summary;
  json::Value& details = figures.run.details;
  const std::uint64_t elements = std::uint64_t{asked.size.heads} * asked.size.rows() * asked.size.head_dim;
  const auto note = [&](const std::string& text) {
    summary.note += (summary.note.empty() ? "" : "; ") + text;
  };
  summary.check = check.output;
  details["largest_error"] = check.output.largest_error;
  details["allowed_error"] = check.output.allowed_at_largest;
  details["largest_output"] = check.largest_output;
  if (asked.exponential == Exponential::kPolynomial) {
    details["distance_to_softmax"] = check.distance_to_softmax;
    note(fmt::format("the polynomial's output is up to {:.2g} from the true softmax (|O| up to {:.2g})",
                     check.distance_to_softmax, check.largest_output));
  }
  if (!asked.format.empty()) {
    const FormatErrors errors = format_errors(check.output, static_cast<double>(elements));
    details["max_error"] = errors.max;
    details["rms_error"] = errors.rms;
    note(fmt::format(
        "error of {}: {:.3g} at most, {:.3g} rms (against softmax of operands before they were rounded)",
        asked.format, errors.max, errors.rms));
  }
  details["undetermined"] = check.undetermined;
  summary.comparable = check.undetermined == 0;
  if (!summary.comparable)
    note(fmt::format(
        "{} of {} elements cannot be compared, because errors of scores exceed them: choose a smaller --spread",
        check.undetermined, elements));
}

}  // namespace spica::workloads
