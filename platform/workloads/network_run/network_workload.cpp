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
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/soc/built_for.h"
#include "platform/machine/soc/keys.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/observe/report/terminal.h"
#include "platform/observe/report/text_table.h"
#include "platform/run/job.h"
#include "platform/run/launches.h"
#include "platform/run/measurements.h"
#include "platform/run/printed.h"
#include "platform/workloads/condition.h"
#include "platform/workloads/figures.h"
#include "platform/workloads/network/fixed_shapes.h"
#include "platform/workloads/network/list_text.h"
#include "platform/workloads/network/lower.h"
#include "platform/workloads/network_run/kernel_catalogue.h"
#include "platform/workloads/network_run/network_inputs.h"
#include "platform/workloads/network_run/network_job.h"
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

/// The program that comes with Spica, or one that is compiled for the machine.
std::string program_for(const network::KernelFile& file, ElementType format, const soc::SocParams& machine,
                        const Places& places) {
  std::error_code ignored;
  if (const std::filesystem::path shipped = places.kernels / (file.kernel + ".elf");
      std::filesystem::exists(shipped, ignored) &&
      soc::mismatches(soc::load_program(shipped.string(), machine), machine).empty())
    return shipped.string();
  const MachineValues values(machine);
  std::vector<std::string> defines = file.defines;
  for (std::string& define : defines)
    boost::replace_all(define, "{FORMAT}",
                       boost::to_upper_copy(std::string(kNetworkFormats.name_of(format))));
  for (const std::string& text : file.follows) {
    const std::size_t at = text.find('=');
    if (const auto value = values.define_value(text.substr(at + 1)))
      defines.push_back(fmt::format("{}={}", text.substr(0, at), *value));
  }
  return places.compiled({places.home.root / "sw/kernels" / file.source / "main.cpp", defines,
                          machine.cluster.shared_memory.size, compiler::Toolchain::kClang});
}

std::map<std::string, network::Constant> arrays(const std::string& file) {
  return file.empty() ? std::map<std::string, network::Constant>() : network::read_npz(file);
}

/// "Add_17, 0.031 of 0.02 allowed at 17: 1.25 instead of 1.22".
std::string wrong_text(const std::string& what, const Difference& found) {
  return fmt::format("{}: {} elements; element {} is {:.9g} instead of {:.9g}, error {:.3g}, allowed {:.3g}",
                     what, text::grouped(found.wrong), found.index, found.value, found.wanted, found.error,
                     found.allowed);
}

json::Value difference_json(const std::optional<Difference>& found) {
  if (!found) return nullptr;
  return {
      {"error", found->error}, {"allowed", found->allowed}, {"index", found->index}, {"wrong", found->wrong}};
}

/// What the machine did in each operator, by name (job::Launches); empty: not accounted for.
json::Value accounts_of(job::Job& job) {
  const job::Launches* const launches = job.facts().measurements.launches();
  if (launches == nullptr) return json::Value::object();
  return launches->json(job.facts().measurements.energy()).at("by_name");
}

/// Operators, cycles and share of each type, the largest share first; `document`: the same for stats.json.
std::string by_type(const std::vector<network::NetworkJob::Result>& results, json::Value& document) {
  struct Sum {
    std::uint64_t operators = 0, cycles = 0;
  };
  std::map<std::string, Sum> sums;
  std::uint64_t all = 0;
  for (const auto& one : results) {
    ++sums[one.type].operators;
    sums[one.type].cycles += one.cycles;
    all += one.cycles;
  }
  std::vector<std::pair<std::string, Sum>> sorted(sums.begin(), sums.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.cycles > b.second.cycles; });
  report::TextTable table({{"type"},
                           {"operators", report::TextTable::Align::kRight},
                           {"cycles", report::TextTable::Align::kRight},
                           {"share", report::TextTable::Align::kRight}});
  document = json::Value::object();
  for (const auto& [type, sum] : sorted) {
    const double share = all != 0 ? static_cast<double>(sum.cycles) / static_cast<double>(all) : 0.0;
    table.add({type, text::grouped(sum.operators), text::grouped(sum.cycles),
               fmt::format("{:.1f} %", 100 * share)});
    document[type] = {{"operators", sum.operators}, {"cycles", sum.cycles}, {"share", share}};
  }
  return table.text(2);
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
  if (!asked.inputs.empty()) all.files.emplace_back("inputs", asked.inputs);
  if (!asked.expected.empty()) all.files.emplace_back("expected", asked.expected);
  return all;
}

const network::Network& NetworkWorkload::network() {
  if (!network_)
    network_ = network::load_network(asked.model, {words_of(asked.shape), words_of(asked.symbol)});
  return *network_;
}

std::optional<std::string> NetworkWorkload::listing() {
  if (!shown.list) return std::nullopt;
  return network::list_text(network());
}

const network::KernelCatalogue& NetworkWorkload::kernels() {
  if (!kernels_) kernels_ = std::make_unique<network::KernelCatalogue>(places_.configs);
  return *kernels_;
}

void NetworkWorkload::choose(job::JobOptions& job) {
  network();
  job.config = asked.config;
  job.seed = asked.seed;
  const auto machine = config::read<soc::SocParams>(config::load(job.config, job.overrides, places_.configs));
  std::vector<std::string> added;
  if (!machine.dispatcher.present) added.push_back(soc::keys::kDispatcher + std::string("=true"));
  if (!machine.command_processor.present)
    added.push_back(soc::keys::kCommandProcessor + std::string("=true"));
  if (!added.empty())
    std::cerr << fmt::format("note: operators are launched by a command processor; added to {}: {}\n",
                             input::printable(job.config), fmt::join(added, ", "));
  job.overrides.insert(job.overrides.begin(), added.begin(), added.end());
  job.elf_for = [this](const soc::SocParams& params) {
    return program_for(network::NetworkJob::program(network(), kernels(), asked.format, params), asked.format,
                       params, places_);
  };
  job.grid_later = true;
  job.launches = true;
}

void NetworkWorkload::prepare(job::Job& job) {
  job_ = std::make_unique<network::NetworkJob>(
      job, network(), kernels(), network::network_inputs(network(), arrays(asked.inputs), asked.seed),
      asked.format, asked.blocks == BlockChoice::kOnce);
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
  if (values.size() != wanted.size())
    throw input::UserError(fmt::format("output '{}' has {} elements; in --expected it has {}",
                                       input::printable(port.name), values.size(), wanted.size()));
  const bool is_fp32 = asked.format == ElementType::kFp32;
  const double absolute = asked.tolerance != 0 ? asked.tolerance : kAbsolute,
               relative = asked.tolerance != 0 ? asked.tolerance : kRelative;
  outputs_.push_back({port.name, with, network::compare(values, wanted, job_->type(port), absolute, relative),
                      is_fp32 || asked.tolerance != 0});
}

void NetworkWorkload::compare_outputs() {
  network::ReferenceRun reference(network(), [this](std::size_t tensor) { return job_->in_memory(tensor); });
  const bool is_complete = reference.run();
  const auto wanted = arrays(asked.expected);
  for (const network::Port& port : network().outputs) {
    if (is_complete) compare_output(port, reference.values(port.operand), "reference");
    const auto found = wanted.find(port.name);
    if (found == wanted.end()) continue;
    std::vector<double> values;
    for (std::int64_t i = 0; i < found->second.elements(); ++i) values.push_back(found->second.number_at(i));
    compare_output(port, values, asked.expected);
  }
}

Figures NetworkWorkload::figures(job::Job& job, const job::JobOutcome& outcome) {
  Figures figures;
  figures.run = job::own_figures(job.facts());
  figures.summary.utilisation = figures.run.utilisation.value_or(0);
  const std::string name = input::printable(std::filesystem::path(asked.model).filename().string());
  figures.summary.title = fmt::format("network {} on {}, {}", name, input::printable(asked.config),
                                      kNetworkFormats.name_of(asked.format));
  const std::vector<network::NetworkJob::Result> results = job_->results();
  std::uint64_t sum = 0;
  for (const auto& one : results) sum += one.cycles;
  report::TextTable table({{"operator"},
                           {"type"},
                           {"launches", report::TextTable::Align::kRight},
                           {job.fast() ? "estimated cycles" : "cycles", report::TextTable::Align::kRight},
                           {"share", report::TextTable::Align::kRight},
                           {"energy uJ", report::TextTable::Align::kRight},
                           {"error", report::TextTable::Align::kRight},
                           {"allowed", report::TextTable::Align::kRight},
                           {"limiter"}});
  const json::Value accounts = accounts_of(job);
  double reused_energy = 0;
  json::Value& list = figures.run.details["operators"] = json::Value::array();
  for (const auto& one : results) {
    const json::Value account = accounts.value(input::printable(one.measured), json::Value::object());
    const bool has_energy = account.contains("energy_uj");
    const auto share = sum != 0 ? static_cast<double>(one.cycles) / static_cast<double>(sum) : 0.0;
    table.add({input::printable(one.name), one.type, text::grouped(one.launches), text::grouped(one.cycles),
               fmt::format("{:.1f} %", 100 * share),
               has_energy ? fmt::format("{:.3g}", account["energy_uj"]["total"].get<double>()) : "",
               one.is_reused    ? "reused"
               : one.difference ? fmt::format("{:.2g}", one.difference->error)
                                : "-",
               one.difference ? fmt::format("{:.2g}", one.difference->allowed) : "-",
               account.value("limiter", "")});
    list.push_back({{"name", one.name},
                    {"type", one.type},
                    {"state", one.is_reused ? "reused" : "simulated"},
                    {"launches", one.launches},
                    {"cycles", one.cycles},
                    {"share", share},
                    {"difference", difference_json(one.difference)}});
    for (const char* key : {"limiter", "bytes", "lane_utilisation", "energy_uj"})
      if (account.contains(key)) list.back()[key] = account[key];
    if (one.is_reused && has_energy) reused_energy += account["energy_uj"]["total"].get<double>();
    if (one.difference && !one.difference->right())
      figures.wrong.push_back(
          wrong_text(fmt::format("node '{}' ({})", input::printable(one.name), one.type), *one.difference));
  }
  figures.tables = "\n" + table.text(2) + "\n" + by_type(results, figures.run.details["by_type"]);
  if (const network::Blocks& blocks = job_->blocks(); blocks.count != 0) {
    std::uint64_t reused = 0;
    for (const auto& one : results) reused += one.is_reused ? one.cycles : 0;
    const std::uint64_t projected = outcome.cycles + reused;
    figures.run.details["blocks"] = {
        {"first", blocks.first}, {"length", blocks.length}, {"count", blocks.count}};
    figures.run.details["projected_cycles"] = projected;
    if (reused_energy != 0) figures.run.details["reused_energy_uj"] = reused_energy;
    figures.tables += fmt::format(
        "  {} equal blocks of {} operators, from {} on: the first two were simulated, the others take the cycles of the "
        "second.\n  projected      {} cycles for the network, {} of them simulated; results of the other blocks are "
        "those of the reference\n",
        blocks.count, blocks.length, input::printable(results[blocks.first].name), text::grouped(projected),
        text::grouped(outcome.cycles));
  } else if (asked.blocks == BlockChoice::kOnce) {
    figures.tables += "  no three equal blocks: all operators were simulated\n";
  }
  for (const Output& output : outputs_) {
    figures.tables += fmt::format(
        "  output {} against {}: largest error {:.3g} of {:.3g}{}\n", input::printable(output.name),
        input::printable(output.with), output.difference.error, std::abs(output.difference.wanted),
        output.decides ? fmt::format(", allowed {:.3g}", output.difference.allowed) : "");
    if (output.decides && !output.difference.right())
      figures.wrong.push_back(wrong_text(
          fmt::format("output '{}' against {}", input::printable(output.name), input::printable(output.with)),
          output.difference));
  }
  figures.run.details["bytes"] = job_->bytes();
  if (is_checked_) figures.run.verified = figures.wrong.empty();
  if (is_checked_) {
    figures.summary.bitwise = false;
    figures.summary.matrix = "operators";
    figures.summary.check.emplace();
    figures.summary.check->correct = figures.wrong.empty();
    double largest = -1;
    for (const auto& one : results) {
      if (!one.difference || one.difference->ratio() <= largest) continue;
      largest = one.difference->ratio();
      figures.summary.check->largest_error = one.difference->error;
      figures.summary.check->allowed_at_largest = one.difference->allowed;
    }
  }
  return figures;
}

}  // namespace spica::workloads
