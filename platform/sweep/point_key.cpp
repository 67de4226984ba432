// SPDX-License-Identifier: Apache-2.0
#include "platform/sweep/point_key.h"

#include <fmt/format.h>
#include <nettle/sha2.h>

#include <algorithm>
#include <optional>

#include "platform/loader/file.h"
#include "platform/loader/user_error.h"
#include "platform/report/build_info.h"
#include "platform/soc/soc_config.h"
#include "platform/sweep/options.h"
#include "platform/workloads/design_file.h"

namespace spica::sweep {

namespace {

using Digest = std::array<std::uint8_t, SHA256_DIGEST_SIZE>;

Digest digest_of(std::string_view bytes) {
  sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
  Digest digest;
  sha256_digest(&context, digest.size(), digest.data());
  return digest;
}

std::string fact_of(const std::string& key, const std::string& value) { return key + '=' + value; }

}  // namespace

std::string sha256_text(std::string_view bytes) {
  std::string text;
  for (const std::uint8_t byte : digest_of(bytes)) text += fmt::format("{:02x}", byte);
  return text;
}

FactSum::Hash FactSum::hash(std::string_view fact) {
  const Digest digest = digest_of(fact);
  Hash hash{0, 0};
  for (std::size_t i = 0; i < 16; ++i) hash[i / 8] = hash[i / 8] << 8 | digest[i];
  return hash;
}

void FactSum::add(const Hash& hash, bool negative) {
  Hash addend = hash;
  if (negative) {  // two's complement of 128 bits
    addend = {~hash[0], ~hash[1] + 1};
    if (addend[1] == 0) ++addend[0];
  }
  sum_[1] += addend[1];
  sum_[0] += addend[0] + (sum_[1] < addend[1] ? 1 : 0);
}

std::string FactSum::text() const { return fmt::format("{:016x}{:016x}", sum_[0], sum_[1]); }

/// What one value of an axis changes in a machine, while nothing else is changed.
struct PointKeys::Change {
  bool alone = true;  // false: only together with the other axes it makes a machine, or one with other keys
  std::vector<std::pair<std::string, std::string>> values;  // key and new text
};

/// A configuration with what is fixed.
struct PointKeys::Machine {
  std::map<std::string, config::EffectiveValue> values;
  FactSum sum;
  std::map<std::pair<std::size_t, std::string>, Change> changes;  // by axis and label
};

namespace {

std::vector<std::string> overrides_of(const std::vector<Setting>& settings) {
  std::vector<std::string> overrides;
  for (const Setting& setting : settings)
    if (setting.of_machine()) overrides.push_back(override_of(setting));
  return overrides;
}

/// What the table says is a fact of the job, not where it is.
bool counts(const std::string& key) { return key != "power.table"; }

std::vector<config::EffectiveValue> load_machine(const std::string& config,
                                                 const std::vector<std::string>& overrides,
                                                 const std::filesystem::path& configs_dir) {
  const config::Source source = config::load(config, overrides, configs_dir);
  soc::SocParams params;
  config::apply(source, params);
  return config::effective(params, source);
}

}  // namespace

PointKeys::PointKeys(const Sweep& sweep, std::filesystem::path configs_dir, KernelPath kernel_path)
    : sweep_(sweep), configs_dir_(std::move(configs_dir)), kernel_path_(std::move(kernel_path)) {}
PointKeys::~PointKeys() = default;

const std::string& PointKeys::option(const Point& point, const std::string& name) const {
  static const std::string nothing;
  for (const AxisValue* value : point.values)
    for (const Setting& setting : value->settings)
      if (setting.key == name) return setting.value;
  for (const Setting& setting : sweep_.fixed)
    if (setting.key == name) return setting.value;
  return nothing;
}

std::string PointKeys::config_of(const Point& point) {
  if (const std::string& config = option(point, "config"); !config.empty()) return config;
  if (sweep_.job == JobKind::kRun)
    throw loader::UserError(sweep_.name + ": config: a program needs a machine");
  std::string design = option(point, "design");
  if (design.empty() && sweep_.job == JobKind::kAttention) design = "virgo";
  if (design.empty())
    throw loader::UserError(sweep_.name + ": design: a matrix product needs a design, or several");
  auto [found, is_new] = designs_.try_emplace(design);
  if (is_new)
    found->second = sweep_.job == JobKind::kGemm
                        ? workloads::read_gemm_design(design, configs_dir_).config
                        : workloads::read_attention_design(design, configs_dir_).config;
  return found->second;
}

PointKeys::Machine& PointKeys::machine(const std::string& config) {
  std::unique_ptr<Machine>& found = machines_[config];
  if (found) return *found;
  auto machine = std::make_unique<Machine>();
  for (config::EffectiveValue& value : load_machine(config, overrides_of(sweep_.fixed), configs_dir_)) {
    if (counts(value.key)) machine->sum.add(fact_of(value.key, value.text));
    machine->values.emplace(value.key, std::move(value));
  }
  found = std::move(machine);
  return *found;
}

const PointKeys::Change& PointKeys::change(const std::string& config, Machine& machine, std::size_t axis,
                                           const AxisValue& value) {
  const auto [found, is_new] = machine.changes.try_emplace({axis, value.label});
  if (!is_new) return found->second;
  Change& change = found->second;
  std::vector<Setting> settings = sweep_.fixed;
  settings.insert(settings.end(), value.settings.begin(), value.settings.end());
  try {
    const auto values = load_machine(config, overrides_of(settings), configs_dir_);
    change.alone = values.size() == machine.values.size();
    for (const config::EffectiveValue& now : values) {
      const auto before = machine.values.find(now.key);
      if (before == machine.values.end()) change.alone = false;
      else if (before->second.text != now.text) change.values.emplace_back(now.key, now.text);
    }
  } catch (const config::ConfigError& error) {
    // Two values that contradict each other may be put right by another axis; one that is out of its range may not.
    std::vector<config::Problem> problems;
    for (config::Problem problem : error.problems()) {
      if (problem.key.find(", ") != std::string::npos || problem.place.override_number == 0) continue;
      problem.place = sweep_.axes[axis].place;
      problems.push_back(std::move(problem));
    }
    if (problems.size() == error.problems().size()) throw config::ConfigError(std::move(problems));
    change.alone = false;
  }
  return change;
}

void PointKeys::add_machine(const Point& point, FactSum& sum) {
  const std::string config = config_of(point);
  Machine& machine = this->machine(config);
  std::map<std::string, const std::string*> changed;
  for (std::size_t axis = 0; axis < point.values.size(); ++axis) {
    const AxisValue& value = *point.values[axis];
    if (std::none_of(value.settings.begin(), value.settings.end(),
                     [](const Setting& setting) { return setting.of_machine(); }))
      continue;
    const Change& change = this->change(config, machine, axis, value);
    bool alone = change.alone;
    for (const auto& [key, text] : change.values) alone &= changed.emplace(key, &text).second;
    if (!alone) return add_whole_machine(config, point, sum);
  }
  FactSum all = machine.sum;
  for (const auto& [key, text] : changed) {
    if (!counts(key)) continue;
    all.remove(fact_of(key, machine.values.at(key).text));
    all.add(fact_of(key, *text));
  }
  sum.add("machine=" + all.text());
}

void PointKeys::add_whole_machine(const std::string& config, const Point& point, FactSum& sum) {
  const std::vector<std::string> overrides = overrides_of(settings_of(sweep_, point));
  FactSum all;
  try {
    for (const config::EffectiveValue& value : load_machine(config, overrides, configs_dir_))
      if (counts(value.key)) all.add(fact_of(value.key, value.text));
  } catch (const config::ConfigError&) {  // the run will be refused with the reason
    all.add("refused=" + config);
    for (const std::string& one : overrides) all.add(one);
  }
  sum.add("machine=" + all.text());
}

Operand PointKeys::parameter(const Point& point, const std::string& key) {
  const Machine& machine = this->machine(config_of(point));
  const auto found = machine.values.find(key);
  if (found == machine.values.end())
    throw loader::UserError(fmt::format("{}: only: {} is no parameter of {} (spica config --list)",
                                        sweep_.name, key, config_of(point)));
  if (const auto* number = std::get_if<std::uint64_t>(&found->second.value))
    return static_cast<double>(*number);
  if (const auto* number = std::get_if<double>(&found->second.value)) return *number;
  return operand_of(found->second.text);
}

const std::string& PointKeys::file_fact(const std::string& path) {
  std::string& fact = file_facts_[path];
  if (fact.empty()) {
    const std::vector<unsigned char> bytes = loader::read_file(path);
    fact = sha256_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  return fact;
}

namespace {

/// What a design file says that a run depends on.
template <class Design>
std::vector<std::string> facts_of(const Design& design, const config::Source& source) {
  std::vector<std::string> facts;
  for (const config::EffectiveValue& value : config::effective(design, source)) {
    const std::string first = value.key.substr(0, value.key.find('.'));
    if (first == "title" || first == "order" || first == "published" || first == "standard" ||
        first == "config")
      continue;
    facts.push_back("design." + fact_of(value.key, value.text));
  }
  return facts;
}

}  // namespace

void PointKeys::add_energy_table(const Point& point, FactSum& sum) {
  std::string table = option(point, "power.table");
  if (table.empty()) table = machine(config_of(point)).values.at("power.table").text;
  const config::FileKind kind{"energy table", "power"};
  for (const std::filesystem::path& path : config::load(table, {}, configs_dir_, kind).paths)
    sum.add("energy=" + file_fact(path.string()));
}

void PointKeys::add_job(const Point& point, unsigned repeat, FactSum& sum) {
  sum.add(std::string("job=") + job_name(sweep_.job));
  for (const JobOption& option : job_options(sweep_.job)) {
    std::string value = this->option(point, option.name);
    if (option.name == "size" && !value.empty())
      value = workloads::sizes_text(workloads::parse_gemm_sizes(value));
    if (option.name == "seed") {
      const Operand seed = operand_of(value.empty() ? "1" : value);
      if (const double* number = std::get_if<double>(&seed)) value = fmt::format("{:.0f}", *number + repeat);
    }
    if (option.name == "energy" && value != "true") value.clear();
    if (option.name == "elf") value = file_fact(value);
    if (option.name != "config" && option.name != "design") sum.add(fact_of(option.name, value));
  }
  for (const std::string& load : sweep_.loads) {
    const std::size_t at = load.rfind('@');
    sum.add("load=" + file_fact(load.substr(0, at)) + load.substr(std::min(at, load.size())));
  }
  if (option(point, "energy") == "true") add_energy_table(point, sum);
  if (sweep_.job == JobKind::kRun) return;
  std::string name = option(point, "design");
  if (name.empty()) name = "virgo";
  std::vector<std::string>& facts = design_facts_[name];
  if (facts.empty() && sweep_.job == JobKind::kGemm) {
    const config::Source source = config::load(name, {}, configs_dir_, workloads::kGemmDesigns);
    const workloads::GemmDesign design = workloads::gemm_design_of(source, configs_dir_);
    facts = facts_of(design, source);
    facts.push_back("kernel=" +
                    file_fact(design.kernel_file.empty() ? kernel_path_(design.kernel) : design.kernel_file));
  } else if (facts.empty()) {
    const config::Source source = config::load(name, {}, configs_dir_, workloads::kAttentionDesigns);
    const workloads::AttentionDesign design = workloads::attention_design_of(source, configs_dir_);
    facts = facts_of(design, source);
    facts.push_back("kernel=" +
                    file_fact(design.kernel_file.empty() ? kernel_path_(design.kernel) : design.kernel_file));
  }
  for (const std::string& fact : facts) sum.add(fact);
}

std::string PointKeys::key(const Point& point, unsigned repeat) {
  FactSum sum;
  add_machine(point, sum);
  add_job(point, repeat, sum);
  return sum.text();
}

std::string model_text() {
  if (!report::kBuildInfo.dirty && std::string(report::kBuildInfo.commit) != "unknown")
    return std::string(report::kBuildInfo.commit).substr(0, 12);
  const std::vector<unsigned char> bytes = loader::read_file("/proc/self/exe");
  return "program-" + sha256_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()}).substr(0, 12);
}

}  // namespace spica::sweep
