// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/point_key.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "platform/base/digest/digest.h"
#include "platform/machine/loader/file.h"
#include "platform/machine/loader/number_text.h"
#include "platform/machine/loader/user_error.h"
#include "platform/machine/soc/plugin_files.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/observe/report/build_info.h"
#include "platform/studies/sweep/options.h"
#include "platform/studies/sweep/point_checks.h"
#include "platform/workloads/design_file.h"

namespace spica::sweep {

namespace {

std::string fact_of(const std::string& key, const std::string& value) { return key + '=' + value; }

}  // namespace

FactSum::Hash FactSum::hash(std::string_view fact) {
  const digest::Sha256 digest = digest::sha256(fact);
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
  std::vector<std::string> keys;  // that change
  FactSum facts;  // what is to be added for it
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
bool counts(const std::string& key) {
  return key != "power.table" && key != "power.area_table" && key != "main_memory.dram.energy";
}

}  // namespace

std::vector<config::EffectiveValue> PointKeys::load_machine(const std::string& config,
                                                            const std::vector<std::string>& overrides) {
  const config::Source source = config::load(config, overrides, configs_dir_);
  const auto params = config::read<soc::SocParams>(source);
  std::vector<config::EffectiveValue> values = config::effective(params, source);
  config::EffectiveValue plugins;  // what is in the libraries, wherever they are
  plugins.key = "contents of plugins";
  for (const std::filesystem::path& file : soc::plugin_files(source))
    plugins.text += file.filename().string() + ' ' + file_fact(file.string()) + '\n';
  if (!plugins.text.empty()) values.push_back(std::move(plugins));
  return values;
}

PointKeys::PointKeys(const Sweep& sweep, std::filesystem::path configs_dir, Programs programs)
    : sweep_(sweep), configs_dir_(std::move(configs_dir)), programs_(std::move(programs)) {}
PointKeys::~PointKeys() = default;

std::string PointKeys::config_of(const Point& point) {
  if (const std::string& config = option_of(sweep_, point, "config"); !config.empty()) return config;
  if (sweep_.job == JobKind::kConcurrent) return "mgpu-8";
  if (sweep_.job == JobKind::kRun)
    throw loader::UserError(sweep_.name + ": config: a program needs a machine");
  std::string design = option_of(sweep_, point, "design");
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
  for (config::EffectiveValue& value : load_machine(config, overrides_of(sweep_.fixed))) {
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
    const auto values = load_machine(config, overrides_of(settings));
    change.alone = values.size() == machine.values.size();
    for (const config::EffectiveValue& now : values) {
      const auto before = machine.values.find(now.key);
      if (before == machine.values.end()) change.alone = false;
      else if (before->second.text != now.text) {
        change.keys.push_back(now.key);
        if (!counts(now.key)) continue;
        change.facts.remove(fact_of(now.key, before->second.text));
        change.facts.add(fact_of(now.key, now.text));
      }
    }
  } catch (const config::ConfigError& error) {
    std::vector<config::Problem> problems;
    for (config::Problem problem : error.problems()) {
      if (!is_certain(problem)) continue;
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
  FactSum all = machine.sum;
  std::vector<const Change*> changes;
  for (std::size_t axis = 0; axis < point.values.size(); ++axis) {
    const AxisValue& value = *point.values[axis];
    if (std::none_of(value.settings.begin(), value.settings.end(),
                     [](const Setting& setting) { return setting.of_machine(); }))
      continue;
    const Change& change = this->change(config, machine, axis, value);
    const auto is_changed = [&](const std::string& key) {
      return std::any_of(changes.begin(), changes.end(), [&](const Change* other) {
        return std::find(other->keys.begin(), other->keys.end(), key) != other->keys.end();
      });
    };
    if (!change.alone || std::any_of(change.keys.begin(), change.keys.end(), is_changed))
      return add_whole_machine(config, point, sum);
    changes.push_back(&change);
    all.add(change.facts);
  }
  sum.add(all);
}

void PointKeys::add_whole_machine(const std::string& config, const Point& point, FactSum& sum) {
  const std::vector<std::string> overrides = overrides_of(settings_of(sweep_, point));
  FactSum all;
  try {
    for (const config::EffectiveValue& value : load_machine(config, overrides))
      if (counts(value.key)) all.add(fact_of(value.key, value.text));
  } catch (const config::ConfigError&) {  // the run will be refused with the reason
    all.add("refused=" + config);
    for (const std::string& one : overrides) all.add(one);
  }
  sum.add(all);
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
    fact = digest::sha256_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
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

std::string PointKeys::named_by(const Point& point, const std::string& key) {
  const std::string given = option_of(sweep_, point, key);
  return given.empty() ? machine(config_of(point)).values.at(key).text : given;
}

void PointKeys::add_table(const Point& point, const std::string& key, const char* folder, const char* name,
                          FactSum& sum) {
  const std::string table = named_by(point, key);
  if (table.empty()) return;
  const auto [known, is_new] =
      table_facts_.try_emplace(key + "=" + table);  // reading one takes longer than a point
  if (is_new)
    for (const std::filesystem::path& path : config::load(table, {}, configs_dir_ / folder).paths)
      known->second.push_back(fmt::format("{}={}", name, file_fact(path.string())));
  for (const std::string& fact : known->second) sum.add(fact);
}

const FactSum& PointKeys::option_fact(std::size_t place, const std::string& given, unsigned repeat) {
  option_facts_.resize(job_options(sweep_.job).size());
  OptionFact& known = option_facts_[place];
  const JobOption& option = job_options(sweep_.job)[place];
  if (known.is_known && known.value == given && known.repeat == repeat) return known.fact;
  std::string value = given;
  if (option.name == "size" && !value.empty())
    value = workloads::sizes_text(workloads::parse_gemm_sizes(value));
  if (option.name == "seed") {
    if (const auto seed = loader::parse_number(value.empty() ? "1" : value))
      value = fmt::format("{}", *seed + repeat);
  }
  if (option.form == OptionForm::kFlag && value != "true") value.clear();
  if (option.name == "library" || option.name == "weights")
    value = file_fact(programs_.library_path(option.name, value));
  if (option.name == "elf") value = file_fact(programs_.program_path(value));
  known = {given, repeat, true, {}};
  known.fact.add(fact_of(option.name, value));
  return known.fact;
}

const FactSum& PointKeys::design_facts(const std::string& name) {
  const auto [found, is_new] = design_facts_.try_emplace(name);
  if (!is_new) return found->second;
  std::vector<std::string> facts;
  const auto kernel = [this](const auto& design) {
    return "kernel=" +
           file_fact(design.kernel_file.empty() ? programs_.kernel_path(design.kernel) : design.kernel_file);
  };
  if (sweep_.job != JobKind::kAttention) {
    const config::Source source = config::load(name, {}, configs_dir_, workloads::kGemmDesigns);
    const workloads::GemmDesign design = workloads::gemm_design_of(source, configs_dir_);
    facts = facts_of(design, source);
    if (!design.kernel.empty()) facts.push_back(kernel(design));
    if (!design.source.empty()) facts.push_back("source=" + programs_.sources_digest(design.source_file));
  } else {
    const config::Source source = config::load(name, {}, configs_dir_, workloads::kAttentionDesigns);
    const workloads::AttentionDesign design = workloads::attention_design_of(source, configs_dir_);
    facts = facts_of(design, source);
    facts.push_back(kernel(design));
    if (!design.source.empty()) facts.push_back("source=" + programs_.sources_digest(design.source_file));
    // Which of them runs is said by the options.
    if (!design.polynomial_kernel.empty())
      facts.push_back("polynomial_" + file_fact(design.polynomial_file.empty()
                                                    ? programs_.kernel_path(design.polynomial_kernel)
                                                    : design.polynomial_file));
    if (!design.fp16.empty() && design.fp16 != name)
      facts.push_back("fp16=" + design_facts(design.fp16).text());
  }
  for (const std::string& fact : facts) found->second.add(fact);
  return found->second;
}

void PointKeys::add_job(const Point& point, unsigned repeat, FactSum& sum) {
  static const FactSum::Hash kJobs[] = {FactSum::hash("job=gemm"), FactSum::hash("job=attention"),
                                        FactSum::hash("job=run"), FactSum::hash("job=concurrent")};
  sum.add(kJobs[static_cast<std::size_t>(sweep_.job)], false);
  const std::vector<JobOption>& options = job_options(sweep_.job);
  for (std::size_t i = 0; i < options.size(); ++i)
    if (options[i].name == "args") sum.add(option_fact(i, arguments_of(settings_of(sweep_, point)), repeat));
    else if (options[i].name != "config" && options[i].name != "design")
      sum.add(option_fact(i, option_of(sweep_, point, options[i].name), repeat));
  for (const std::string& load : sweep_.loads) {
    const std::size_t at = load.rfind('@');
    sum.add("load=" + file_fact(load.substr(0, at)) + load.substr(std::min(at, load.size())));
  }
  const bool energy = option_of(sweep_, point, "energy") == "true";
  if (energy) {
    add_table(point, "power.table", "power", "energy", sum);
    add_table(point, "main_memory.dram.energy", "power/dram", "device_energy", sum);
  }
  if (energy || option_of(sweep_, point, "area") == "true")
    add_table(point, "power.area_table", "area", "area_table", sum);
  if (const std::string firmware = named_by(point, "command_processor.firmware"); !firmware.empty())
    sum.add("firmware=" + file_fact(programs_.program_path(firmware)));
  if (sweep_.job == JobKind::kConcurrent) sum.add(design_facts("gemm-tile"));
  if (!has_designs(sweep_.job)) return;
  const std::string& name = option_of(sweep_, point, "design");
  sum.add(design_facts(name.empty() ? "virgo" : name));
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
  return "program-" +
         digest::sha256_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()}).substr(0, 12);
}

}  // namespace spica::sweep
