// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network_run/network_workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/replace.hpp>
#include <boost/algorithm/string/split.hpp>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "platform/base/config/config.h"
#include "platform/base/digest/digest.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/soc/built_for.h"
#include "platform/machine/soc/keys.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/observe/report/statistics.h"
#include "platform/observe/report/terminal.h"
#include "platform/run/job.h"
#include "platform/run/printed.h"
#include "platform/run/result_files.h"
#include "platform/workloads/condition.h"
#include "platform/workloads/figures.h"
#include "platform/workloads/network/fixed_shapes.h"
#include "platform/workloads/network/list_text.h"
#include "platform/workloads/network/lower.h"
#include "platform/workloads/network/mapped_file.h"
#include "platform/workloads/network_run/formats.h"
#include "platform/workloads/network_run/kernel_catalogue.h"
#include "platform/workloads/network_run/network_inputs.h"
#include "platform/workloads/network_run/network_job.h"
#include "platform/workloads/network_run/network_report.h"
#include "platform/workloads/network_run/npz.h"

namespace spica::workloads {

namespace {

using network::Difference;
using network::ElementType;

constexpr const char* kSource = "sw/kernels/network/main.cpp";  // of all programs
// Of outputs in FP32, against the reference from the same inputs.
constexpr double kAbsolute = 2e-5, kRelative = 1e-4;

/// Several in one text, separated by commas, for an axis of a sweep.
std::vector<std::string> words_of(const std::vector<std::string>& texts) {
  std::vector<std::string> words;
  for (const std::string& text : texts) {
    std::vector<std::string> some;
    boost::split(some, text, boost::is_any_of(","));
    words.insert(words.end(), some.begin(), some.end());
  }
  return words;
}

/// Those of floating-point tensors, or FP32.
std::vector<ElementType> formats_of(const network::Network& network) {
  std::vector<ElementType> formats;
  for (const auto& one : network::kFormats.items)
    if (std::any_of(network.tensors.begin(), network.tensors.end(),
                    [&](const network::Tensor& tensor) { return tensor.type == one.value; }))
      formats.push_back(one.value);
  if (formats.empty()) formats.push_back(ElementType::kFp32);
  return formats;
}

/// The program that comes with Spica, or one that is compiled for the machine.
std::string program_for(const network::KernelFile& file, const std::vector<ElementType>& formats,
                        const soc::SocParams& machine, const Places& places) {
  std::error_code ignored;
  for (const std::string& name :
       {file.kernel, fmt::format("{}_{}_lanes", file.kernel, machine.cluster.core.lanes)})
    if (const std::filesystem::path shipped = places.kernels / (name + ".elf");
        std::filesystem::exists(shipped, ignored) &&
        soc::mismatches(soc::load_program(shipped.string(), machine), machine).empty())
      return shipped.string();
  std::vector<std::string> names, defines, follows = file.follows;
  for (const ElementType format : formats) names.emplace_back(network::kFormats.name_of(format));
  const std::string unit = std::to_string(network::KernelCatalogue::unit_for(file, names, machine));
  for (const std::string& define : file.defines)
    for (const std::string& format : names) {
      std::string one = boost::replace_all_copy(boost::replace_all_copy(define, "{UNIT}", unit), "{FORMAT}",
                                                boost::to_upper_copy(format));
      if (std::find(defines.begin(), defines.end(), one) == defines.end()) defines.push_back(std::move(one));
    }
  for (std::string& follow : follows) boost::replace_all(follow, "{UNIT}", unit);
  return places.compiled({places.home.root / "sw/kernels" / file.source / "main.cpp",
                          defines_for(defines, follows, machine, "program " + file.kernel),
                          machine.cluster.shared_memory.size, compiler::Toolchain::kClang});
}

std::map<std::string, network::Constant> arrays(const std::string& file) {
  return file.empty() ? std::map<std::string, network::Constant>() : network::read_npz(file);
}

}  // namespace

NetworkWorkload::NetworkWorkload(Places places) : places_(std::move(places)) {}
NetworkWorkload::~NetworkWorkload() = default;

config::Field NetworkWorkload::options() {
  return config::describe(asked, "network", "a neural network, operator by operator");
}

config::Field NetworkWorkload::outputs() { return config::describe(shown); }

Dependencies NetworkWorkload::depends_on(const std::function<soc::SocParams()>&) const {
  Dependencies all{{"kernels=" + places_.sources_digest((places_.home.root / kSource).string())},
                   {{"model", asked.model}}};
  for (const std::string& name : config::names(places_.configs, network::kKernelFiles))
    if (const auto path = config::find_file(name, places_.configs, network::kKernelFiles))
      all.files.emplace_back("kernels." + name, path->string());
  if (!asked.inputs.empty()) all.files.emplace_back("inputs", asked.inputs);
  if (!asked.expected.empty()) all.files.emplace_back("expected", asked.expected);
  if (!asked.map.empty()) all.files.emplace_back("map", asked.map);
  return all;
}

const network::Network& NetworkWorkload::network(const network::CheckOperators& check) {
  if (network_) return *network_;
  network::Network network =
      network::load_network(asked.model, {words_of(asked.shape), words_of(asked.symbol)}, {}, check);
  network::OperatorChoices choices(network.operators.size());
  if (!asked.map.empty())
    choices = network::choices_of(config::load(asked.map, {}, places_.configs, network::kMapFiles),
                                  places_.configs, network);
  const std::vector<std::size_t> places = network::apply_formats(network, choices.formats, asked.format);
  choices_.resize(network.operators.size());
  for (std::size_t i = 0; i < places.size(); ++i) choices_[places[i]] = std::move(choices.kernels[i]);
  return network_.emplace(std::move(network));
}

std::optional<std::string> NetworkWorkload::listing() {
  if (!shown.list) return std::nullopt;
  return network::list_text(network());
}

network::KernelPlan NetworkWorkload::kernels() {
  if (!kernels_) kernels_ = std::make_unique<network::KernelCatalogue>(places_.configs);
  return {*kernels_, choices_};
}

/// Before the run: a file without any output, or with one of other extents, would be compared with nothing.
void NetworkWorkload::check_expected() {
  if (asked.expected.empty()) return;
  const auto wanted = arrays(asked.expected);
  std::vector<std::string> names, problems;
  bool has_some = false;
  for (const network::Port& port : network().outputs) {
    names.push_back(input::printable(port.name));
    const auto found = wanted.find(port.name);
    if (found == wanted.end()) continue;
    has_some = true;
    if (found->second.extents != port.operand.extents)
      problems.push_back(fmt::format("array '{}' is {}; the output is {}", names.back(),
                                     network::extents_text(found->second.extents),
                                     network::extents_text(port.operand.extents)));
  }
  if (!has_some) problems.push_back(fmt::format("it has none of the outputs {}", fmt::join(names, ", ")));
  if (!problems.empty()) throw input::UserError(fmt::format("--expected: {}", fmt::join(problems, "\n")));
}

void NetworkWorkload::choose(job::JobOptions& job) {
  job.config = asked.config;
  job.seed = asked.seed;
  const auto machine = config::read<soc::SocParams>(config::load(job.config, job.overrides, places_.configs));
  network([&](network::Network rest, network::Problems& problems) {
    network::apply_formats(rest, std::vector<std::optional<network::ElementType>>(rest.operators.size()),
                           asked.format);
    network::add_missing_kernels(rest, kernels().catalogue, machine, problems);
  });
  check_expected();
  std::vector<std::string> added;
  if (!machine.dispatcher.present) added.push_back(soc::keys::kDispatcher + std::string("=true"));
  if (!machine.command_processor.present)
    added.push_back(soc::keys::kCommandProcessor + std::string("=true"));
  if (!added.empty())
    std::cerr << fmt::format("note: operators are launched by a command processor; added to {}: {}\n",
                             input::printable(job.config), fmt::join(added, ", "));
  job.overrides.insert(job.overrides.begin(), added.begin(), added.end());
  job.elf_for = [this](const soc::SocParams& params) {
    return program_for(network::NetworkJob::program(network(), kernels(), params), formats_of(network()),
                       params, places_);
  };
  if (!job.checkpoint.empty() || !job.from.empty()) job.work = work_digest();
  job.grid_later = true;
  job.launches = true;
  inputs_ = network::network_inputs(network(), arrays(asked.inputs), asked.seed);
  if (asked.blocks == BlockChoice::kOnce)
    run_sections(job, config::read<soc::SocParams>(config::load(job.config, job.overrides, places_.configs)));
}

/// Without the measurements of the run: it is on other machines.
void NetworkWorkload::run_sections(const job::JobOptions& job, const soc::SocParams& machine) {
  blocks_ = network::equal_blocks(network(), kernels(), machine);
  if (blocks_.count == 0) return;
  job::JobOptions options;
  options.config = job.config;
  options.overrides = job.overrides;
  options.overrides.emplace_back("run.mode=fast");
  options.elf_for = job.elf_for;
  options.find_program = job.find_program;
  options.grid_later = true;
  options.show_console = false;
  sections_ =
      network::run_sections(options, places_.configs, network(), kernels(), inputs_, blocks_.sections());
}

/// Of all that decides the contents of memory.
std::string NetworkWorkload::work_digest() const {
  std::string text = fmt::format("{} {} {} {}", asked.seed, static_cast<int>(asked.format),
                                 static_cast<int>(asked.blocks), fmt::join(words_of(asked.shape), ","));
  text += fmt::format(" {}", fmt::join(words_of(asked.symbol), ","));
  for (const std::string& path : {asked.model, asked.inputs, asked.map}) {
    if (path.empty()) continue;
    const network::MappedFile file(path);
    text += digest::sha1_text({reinterpret_cast<const char*>(file.data()), file.size()});
  }
  return digest::sha1_text(text);
}

void NetworkWorkload::prepare(job::Job& job) {
  std::vector<network::OperatorRange> runs{{0, network().operators.size()}};
  if (blocks_.count != 0)
    runs = {{0, blocks_.first + 2 * blocks_.length},
            {blocks_.sections().back().end, network().operators.size()}};
  std::map<std::size_t, network::Constant> given = inputs_;
  given.insert(sections_.tensors.begin(), sections_.tensors.end());
  job_ = std::make_unique<network::NetworkJob>(job, network(), kernels(), std::move(given), std::move(runs));
}

void NetworkWorkload::check(job::Job&, const job::JobOutcome& outcome) {
  if (outcome.guest_exit_code != 0) return;
  job_->check();
  compare_outputs();
  is_checked_ = true;
  if (!shown.outputs.empty()) write_outputs();
}

/// Each in FP32, or in 32-bit integers, whatever its format in memory.
void NetworkWorkload::write_outputs() const {
  std::map<std::string, network::Constant> arrays;
  for (const network::Port& port : network_->outputs) {
    const ElementType type = network_->tensors[port.operand.tensor].type;
    const std::vector<double> values = job_->output(port);
    network::ConstantBuilder builder(network::is_floating(type) ? ElementType::kFp32 : ElementType::kInt32,
                                     port.operand.extents);
    for (std::size_t i = 0; i < values.size(); ++i) builder.set(static_cast<std::int64_t>(i), values[i]);
    arrays[port.name] = std::move(builder).finish();
  }
  network::write_npz(shown.outputs, arrays);
}

void NetworkWorkload::compare_output(const network::Port& port, const std::vector<double>& wanted,
                                     const std::string& with) {
  const std::vector<double> values = job_->output(port);
  const bool is_fp32 = std::none_of(network().tensors.begin(), network().tensors.end(), [](const auto& one) {
    return one.type == ElementType::kFp16 || one.type == ElementType::kBf16;
  });
  const double absolute = asked.tolerance != 0 ? asked.tolerance : kAbsolute,
               relative = asked.tolerance != 0 ? asked.tolerance : kRelative;
  outputs_.push_back({port.name, with, network::compare(values, wanted, job_->type(port), absolute, relative),
                      is_fp32 || asked.tolerance != 0});
}

void NetworkWorkload::compare_outputs() {
  network::ReferenceRun reference(
      network(), [this](std::size_t tensor) { return job_->given(tensor); }, sections_.reference);
  const std::size_t begin = blocks_.count == 0 ? 0 : blocks_.sections().back().end;
  reference.run({begin, network().operators.size()});
  const auto wanted = arrays(asked.expected);
  for (const network::Port& port : network().outputs) {
    compare_output(port, reference.values(port.operand), "reference");
    const auto found = wanted.find(port.name);
    if (found == wanted.end()) continue;
    std::vector<double> values;
    for (std::int64_t i = 0; i < found->second.elements(); ++i) values.push_back(found->second.number_at(i));
    compare_output(port, values, asked.expected);
  }
}

/// network.json and operators.csv.
void NetworkWorkload::write_report(job::Job& job, const network::NetworkReport& report,
                                   const json::Value& details) const {
  json::Value text{{"schema", "spica-network-1"},
                   {"opset", network_->graph.opset},
                   {"machine", input::printable(asked.config)}};
  text.update(details);
  job::write_result(job.options(), "network.json", report::json_text(text), job.host_errors());
  job::write_result(job.options(), "operators.csv", report.csv(), job.host_errors());
}

Figures NetworkWorkload::figures(job::Job& job, const job::JobOutcome& outcome) {
  Figures figures;
  figures.run = job::own_figures(job.facts());
  figures.summary.utilisation = figures.run.utilisation.value_or(0);
  const std::string name = input::printable(std::filesystem::path(asked.model).filename().string());
  figures.summary.title = fmt::format("network {} on {}, {}", name, input::printable(asked.config),
                                      network::kFormats.name_of(asked.format));
  const network::NetworkReport report(job,
                                      {network(), *job_, blocks_, sections_.differences, outcome.cycles});
  figures.tables = report.text();
  if (asked.blocks == BlockChoice::kOnce && blocks_.count == 0)
    figures.tables += "  no three equal blocks: all operators were simulated\n";
  figures.run.details = {{"model", name}, {"format", network::kFormats.name_of(asked.format)}};
  figures.run.details.update(report.json());
  if (!job.options().out.empty()) write_report(job, report, figures.run.details);
  figures.wrong = report.wrong();
  for (const Output& output : outputs_) {
    figures.tables += network::output_text(output.name, output.with, output.difference, output.decides);
    if (output.decides && !output.difference.right())
      figures.wrong.push_back(network::wrong_text(
          fmt::format("output '{}' against {}", input::printable(output.name), input::printable(output.with)),
          output.difference));
  }
  if (!is_checked_) return figures;
  figures.run.verified = figures.wrong.empty();
  figures.summary.bitwise = false;
  figures.summary.matrix = "operators";
  GemmCheck& check = figures.summary.check.emplace();
  check.correct = figures.wrong.empty();
  if (const auto worst = report.worst()) {
    check.largest_error = worst->error;
    check.allowed_at_largest = worst->allowed;
  }
  return figures;
}

}  // namespace spica::workloads
