// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/experiment/experiment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <variant>

#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/base/json/parse.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/run/record.h"
#include "platform/run/signals.h"
#include "platform/studies/experiment/calculated.h"
#include "platform/studies/sweep/runner.h"
#include "platform/studies/sweep/settings.h"
#include "platform/studies/sweep/store.h"
#include "platform/studies/sweep/tasks.h"
#include "platform/workloads/design_file.h"

namespace spica::experiment {

namespace fs = std::filesystem;

namespace {

/// Whether one of the settings of a value has that key.
bool has(const sweep::AxisValue& value, std::string_view key) {
  return std::any_of(value.settings.begin(), value.settings.end(),
                     [&](const sweep::Setting& one) { return one.key == key; });
}

/// A number, a truth value, or the label as it is.
json::Value value_of(const std::string& label) {
  if (label == "true" || label == "false") return label == "true";
  const config::Operand operand = config::operand_of(label);
  const double* number = std::get_if<double>(&operand);
  if (number == nullptr) return label;
  const auto whole = static_cast<std::int64_t>(*number);
  return static_cast<double>(whole) == *number ? json::Value(whole) : json::Value(*number);
}

}  // namespace

std::string size_text(const Cell& cell) {
  std::string text = cell.size;
  for (const auto& [name, value] : cell.columns.items())
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name,
                        value.is_string() ? value.get<std::string>() : value.dump());
  return text;
}

Experiment::Experiment(const sweep::Plan& plan, sweep::RunFingerprints& keys, fs::path configs_dir)
    : sweep_(plan.sweep()), configs_dir_(std::move(configs_dir)) {
  if (sweep().repeats != 1)
    throw input::UserError(
        fmt::format("{}: repeats: a table has one run of each point; spica sweep run runs them all",
                    input::printable(sweep().name)));
  sweep::for_each_point(plan, keys, [this](const sweep::Point& point) { cells_.push_back(cell_of(point)); });
  const auto own_name = [this](const std::string& label) {
    const auto known = names_.find(label);
    return known == names_.end() ? label : known->second;
  };
  for (const auto& [design, base] : sweep().comparisons)
    comparisons_.push_back({own_name(design), own_name(base)});
}

std::string Experiment::design_name(const std::string& given) {
  const auto [found, is_new] = names_.try_emplace(given);
  if (!is_new) return found->second;
  if (sweep().job == &workloads::kind("gemm")) {
    workloads::GemmDesign design = workloads::read_gemm_design(given, configs_dir_);
    found->second = design.name;
    designs_.emplace(design.name, std::move(design));
  } else {
    found->second = workloads::read_attention_design(given, configs_dir_).name;
  }
  return found->second;
}

Cell Experiment::cell_of(const sweep::Point& point) {
  const bool has_designs = sweep::has_designs(*sweep().job);
  const char* const subject = has_designs ? "design" : "config";
  Cell cell;
  cell.point = point;
  cell.design = sweep::option_of(sweep(), point, subject);
  if (has_designs) cell.design = cell.product = design_name(cell.design.empty() ? "virgo" : cell.design);
  const bool is_product = sweep().job == &workloads::kind("gemm");
  if (is_product) {
    const std::string size = sweep::option_of(sweep(), point, "size");
    cell.size =
        size.empty() ? workloads::sizes_text(workloads::parse_sizes(designs_.at(cell.product), "")) : size;
  }
  const sweep::Axis* const variants = sweep().axis("design");
  const bool has_variants =
      !runs_programs() && variants != nullptr &&
      std::find(variants->keys.begin(), variants->keys.end(), subject) == variants->keys.end();
  std::vector<std::string> names, others;
  if (!point.name.empty()) names.push_back(point.name);
  for (std::size_t i = 0; i < point.values.size(); ++i) {
    const sweep::AxisValue& value = *point.values[i];
    const bool is_subject = value.settings.size() == 1 && has(value, subject);
    if (is_subject && has_designs) names_.emplace(value.label, cell.design);
    if (value.label.empty()) continue;
    names.push_back(is_subject && has_designs && !has_variants ? cell.design : value.label);
    if (has_variants && &sweep().axes[i] == variants) {
      cell.design = value.label;
      continue;
    }
    if (!is_subject) others.push_back(value.label);
    const bool is_size = is_product && value.settings.size() == 1 && value.label == cell.size;
    if (runs_programs() || !((is_subject && !has_variants) || is_size))
      cell.columns[sweep().axes[i].name] = value_of(value.label);
  }
  if (!is_product) cell.size = fmt::format("{}", fmt::join(others, "-"));
  cell.name = names.empty() ? "run" : fmt::format("{}", fmt::join(names, "-"));
  std::replace(cell.name.begin(), cell.name.end(), '/', '_');
  return cell;
}

const workloads::GemmDesign* Experiment::design(const Cell& cell) const {
  const auto found = designs_.find(cell.product);
  return found == designs_.end() ? nullptr : &found->second;
}

const workloads::Published* Experiment::published_size(const Cell& cell) const {
  const workloads::GemmDesign* design = this->design(cell);
  if (design == nullptr) return nullptr;
  const std::string size = workloads::sizes_text(workloads::parse_gemm_sizes(cell.size));
  for (const workloads::Published& one : design->published)
    if (workloads::sizes_text(workloads::parse_gemm_sizes(one.size)) == size) return &one;
  return nullptr;
}

const std::vector<std::string>& Experiment::changed_keys(const Cell& cell) const {
  const std::string given = sweep::option_of(sweep(), cell.point, "config");
  const std::string& own = design(cell)->config;
  const std::string& config = given.empty() ? own : given;
  std::vector<std::string> all{cell.product, config};
  for (const sweep::Setting& setting : sweep::settings_of(sweep(), cell.point))
    if (setting.of_machine()) all.push_back(sweep::override_of(setting));
  const auto [found, is_new] = changed_.try_emplace(all);
  if (!is_new) return found->second;
  const auto values = [&](const std::string& name, const std::vector<std::string>& with) {
    const config::Source source = config::load(name, with, configs_dir_);
    const auto params = config::read<soc::SocParams>(source);
    std::map<std::string, std::string> result;
    for (const config::EffectiveValue& value : config::effective(params, source)) {
      const bool of_run = value.key.rfind("run.", 0) == 0 && value.key != "run.mode";
      if (!of_run && value.key.rfind("power.", 0) != 0) result[value.key] = value.text;
    }
    return result;
  };
  const auto before = values(own, {}), now = values(config, {all.begin() + 2, all.end()});
  for (const auto& [key, text] : now)
    if (const auto same = before.find(key); same == before.end() || same->second != text)
      found->second.push_back(key);
  for (const auto& [key, text] : before)
    if (now.count(key) == 0) found->second.push_back(key);
  return found->second;
}

std::optional<workloads::Published> Experiment::published(const Cell& cell) const {
  const workloads::Published* const one = published_size(cell);
  if (one == nullptr || !changed_keys(cell).empty()) return std::nullopt;
  return *one;
}

std::vector<std::string> Experiment::unpublished_keys() const {
  std::vector<std::string> keys;
  for (const Cell& cell : cells_) {
    if (published_size(cell) == nullptr) continue;
    for (const std::string& key : changed_keys(cell))
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
  return keys;
}

namespace {

/// A counter over all blocks of the clusters that have it, in the timed region when there is one. `stats`: "stats" of
/// stats.json; `counter`: BLOCK.COUNTER, with * in it.
std::uint64_t sum_of(const json::Value& stats, const std::string& counter) {
  const json::Value sum = job::kept_value(stats, "sum(stats.*." + counter + ")");
  return sum.is_number() ? sum.get<std::uint64_t>() : 0;
}

/// What a run says in its stats.json.
void read_statistics(const json::Value& stats, CellResult& result) {
  result.cycles = stats.value("cycles", std::uint64_t{0});
  result.window = stats.value("window", "");
  if (const auto lead = stats.find("lead_cycles"); lead != stats.end() && lead->is_number())
    result.lead_cycles = lead->get<std::uint64_t>();
  if (const auto share = stats.find("utilisation"); share != stats.end() && share->is_number())
    result.utilisation = share->get<double>();
  result.instructions = stats.value("instructions", std::uint64_t{0});
  if (const auto blocks = stats.find("stats"); blocks != stats.end()) {
    const auto sum = [&](const char* counter) { return sum_of(*blocks, counter); };
    result.warp_instructions = sum("*.warp_instructions");
    result.register_file_accesses = sum("*.register_reads") + sum("*.register_writes");
    result.shared_memory_bytes = 4 * (sum("*.bank_*_words_read") + sum("*.bank_*_words_written"));
    result.register_rows = sum("warp_tensor_core*.rows_read") + sum("warp_tensor_core*.rows_written");
  }
  for (const char* group : {"printed", "samples"})
    if (const auto said = stats.find(group); said != stats.end())
      for (const auto& [name, value] : said->items())
        if (name != "cycles" && name != "count") result.columns[name] = value;  // those are known
  // Of a product, or attention, in a format.
  for (const char* name :
       {"format", "element", "a_format", "b_format", "accumulate", "max_error", "rms_error"})
    if (const auto said = stats.find(name); said != stats.end()) result.columns[name] = *said;
  if (const auto from = stats.find("provenance"); from != stats.end())
    if (const auto names = from->find("program_compilers"); names != from->end() && !names->empty())
      result.compiler = names->front().get<std::string>();
  if (const auto network = stats.find("network"); network != stats.end() && !network->is_null())
    for (const char* name : {"network", "work_groups", "work_groups_at_once", "channels", "host_seconds"})
      result.gpu[name] = stats.value(name, json::Value());
  result.energy = read_energy(result.folder);
  if (!result.energy) return;
  result.warp_instructions = result.energy->warp_instructions;
  result.register_file_accesses = result.energy->register_file_accesses;
}

CellResult read_result(const Experiment& experiment, const Cell& cell, const fs::path& folder,
                       std::optional<sweep::Record>&& record) {
  CellResult result;
  result.cell = cell;
  result.columns = cell.columns;
  result.folder = folder;
  if (record) result.record = std::move(*record);
  else result.record.reason = "not run";
  if (const auto stats = json::read_file((folder / "stats.json").string())) {
    read_statistics(*stats, result);
    for (const std::string& name : experiment.sweep().keep)
      if (name.find("stats.") != std::string::npos && stats->contains("stats"))
        result.columns[name] = job::kept_value(stats->at("stats"), name);
    add_calculated(experiment.sweep(), *stats, result.columns);
  }
  return result;
}

}  // namespace

std::vector<CellResult> run_experiment(const sweep::OpenSweep& open, const Experiment& experiment,
                                       unsigned jobs, std::vector<std::string>& unknown) {
  std::map<std::uint64_t, fs::path> folders;  // by number of the point
  for (const Cell& cell : experiment.cells()) folders[cell.point.index] = open.folder() / cell.name;
  sweep::RunOptions options;
  options.folder = open.folder() / "sweep";
  options.jobs = jobs;
  options.keep_going = true;
  options.retry = sweep::states_without_result();
  options.results = [&](const sweep::Point& point) { return folders.at(point.index); };
  const job::Interrupt::SignalGuard keep;
  unknown = sweep::run_tasks(open.plan(), open.keys(), options).unknown;
  const sweep::Records records(options.folder, sweep::model_text());
  std::vector<CellResult> results;
  for (const Cell& cell : experiment.cells())
    results.push_back(read_result(experiment, cell, folders.at(cell.point.index),
                                  records.find(open.keys().key(cell.point, 0))));
  add_speedups(experiment, results);
  return results;
}

}  // namespace spica::experiment
