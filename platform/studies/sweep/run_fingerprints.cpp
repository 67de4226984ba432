// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/run_fingerprints.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "platform/base/config/value_text.h"
#include "platform/base/digest/digest.h"
#include "platform/base/input/file.h"
#include "platform/base/input/number_text.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/soc/plugin_files.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/observe/report/build_info.h"
#include "platform/studies/sweep/machine_files.h"
#include "platform/studies/sweep/point_checks.h"
#include "platform/studies/sweep/settings.h"

namespace spica::sweep {

namespace {

std::string fact_of(const std::string& key, const std::string& value) { return key + '=' + value; }

}  // namespace

Fingerprint::Hash Fingerprint::hash(std::string_view fact) {
  const digest::Sha256 digest = digest::sha256(fact);
  Hash hash{0, 0};
  for (std::size_t i = 0; i < 16; ++i) hash[i / 8] = hash[i / 8] << 8 | digest[i];
  return hash;
}

void Fingerprint::add(const Hash& hash, bool negative) {
  Hash addend = hash;
  if (negative) {  // two's complement of 128 bits
    addend = {~hash[0], ~hash[1] + 1};
    if (addend[1] == 0) ++addend[0];
  }
  sum_[1] += addend[1];
  sum_[0] += addend[0] + (sum_[1] < addend[1] ? 1 : 0);
}

std::string Fingerprint::text() const { return fmt::format("{:016x}{:016x}", sum_[0], sum_[1]); }

/// What one value of an axis changes in a machine, while nothing else is changed.
struct RunFingerprints::Change {
  bool alone = true;  // false: only together with the other axes it makes a machine, or one with other keys
  std::vector<std::string> keys;  // that change
  std::map<std::size_t, std::string> files;  // other names of files, by place in machine_files()
  Fingerprint facts;  // what must be added for it
};

/// A configuration with what is fixed.
struct RunFingerprints::Machine {
  std::map<std::string, config::EffectiveValue> values;
  Fingerprint sum;
  std::map<std::pair<std::size_t, std::string>, Change> changes;  // by axis and label
};

namespace {

std::vector<std::string> overrides_of(const std::vector<Setting>& settings) {
  std::vector<std::string> overrides;
  for (const Setting& setting : settings)
    if (setting.of_machine()) overrides.push_back(override_of(setting));
  return overrides;
}

/// Of what names a file its content is a fact, not where it is.
bool counts(const std::string& key) { return machine_file(key) == machine_files().size(); }

}  // namespace

std::vector<config::EffectiveValue> RunFingerprints::load_machine(const std::string& config,
                                                                  const std::vector<std::string>& overrides) {
  const config::Source source = config::load(config, overrides, places_.configs);
  const auto params = config::read<soc::SocParams>(source);
  std::vector<config::EffectiveValue> values = config::effective(params, source);
  config::EffectiveValue plugins;  // what is in the libraries, wherever they are
  plugins.key = "contents of plugins";
  for (const std::filesystem::path& file : soc::plugin_files(source))
    plugins.text += file.filename().string() + ' ' + file_fact(file.string()) + '\n';
  if (!plugins.text.empty()) values.push_back(std::move(plugins));
  return values;
}

RunFingerprints::RunFingerprints(const Sweep& sweep, workloads::Places places)
    : sweep_(sweep),
      places_(std::move(places)),
      workload_(sweep.job->make(places_)),
      options_(workload_->options()),
      job_fact_(Fingerprint::hash("job=" + std::string(sweep.job->name))) {}
RunFingerprints::~RunFingerprints() = default;

namespace {

/// Nothing: it is not given, or the text is not a value of the option.
std::optional<config::Value> value_of(const config::Field& option, const std::string& given) {
  std::string why;
  return given.empty() ? std::nullopt : config::parse_value(option, given, why);
}

/// The option as it is used, whether it is written down or not.
std::string used_text(const config::Field& option, const std::string& given) {
  const auto value = value_of(option, given);
  return given.empty() || value ? config::value_text(option, value.value_or(option.get())) : given;
}

}  // namespace

std::string RunFingerprints::config_of(const Point& point) {
  if (const std::string& config = option_of(sweep_, point, "config"); !config.empty()) return config;
  const std::string& design = option_of(sweep_, point, "design");
  auto [found, is_new] = designs_.try_emplace(design);
  if (is_new) {
    const auto workload = sweep_.job->make(places_);
    if (!design.empty()) workloads::set_option(*workload, "design", design);
    found->second = workload->machine();
  }
  if (found->second.empty()) throw input::UserError(sweep_.name + ": config: a program needs a machine");
  return found->second;
}

RunFingerprints::Machine& RunFingerprints::machine(const std::string& config) {
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

const RunFingerprints::Change& RunFingerprints::change(const std::string& config, Machine& machine,
                                                       std::size_t axis, const AxisValue& value) {
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
        if (!counts(now.key)) {
          change.files[machine_file(now.key)] = now.text;
          continue;
        }
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

RunFingerprints::FileNames RunFingerprints::add_machine(const Point& point, Fingerprint& sum) {
  const std::string config = config_of(point);
  Machine& machine = this->machine(config);
  Fingerprint all = machine.sum;
  FileNames names;
  for (const MachineFile& one : machine_files())
    names.push_back(machine.values.at(std::string(one.key)).text);
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
    for (const auto& [place, name] : change.files) names[place] = name;
    all.add(change.facts);
  }
  sum.add(all);
  return names;
}

RunFingerprints::FileNames RunFingerprints::add_whole_machine(const std::string& config, const Point& point,
                                                              Fingerprint& sum) {
  const std::vector<std::string> overrides = overrides_of(settings_of(sweep_, point));
  Fingerprint all;
  FileNames names(machine_files().size());
  try {
    for (const config::EffectiveValue& value : load_machine(config, overrides))
      if (counts(value.key)) all.add(fact_of(value.key, value.text));
      else names[machine_file(value.key)] = value.text;
  } catch (const config::ConfigError&) {  // the run will be refused with the reason
    all.add("refused=" + config);
    for (const std::string& one : overrides) all.add(one);
  }
  sum.add(all);
  return names;
}

config::Operand RunFingerprints::parameter(const Point& point, const std::string& key) {
  const Machine& machine = this->machine(config_of(point));
  const auto found = machine.values.find(key);
  if (found == machine.values.end())
    throw input::UserError(fmt::format("{}: only: {} is not a parameter of {} (spica config --list)",
                                       sweep_.name, key, config_of(point)));
  if (const auto* number = std::get_if<std::uint64_t>(&found->second.value))
    return static_cast<double>(*number);
  if (const auto* number = std::get_if<double>(&found->second.value)) return *number;
  return config::operand_of(found->second.text);
}

const std::string& RunFingerprints::file_fact(const std::string& path) {
  std::string& fact = file_facts_[path];
  if (fact.empty()) {
    const std::vector<unsigned char> bytes = input::read_file(path);
    fact = digest::sha256_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  return fact;
}

void RunFingerprints::add_files(const Point& point, const FileNames& names, Fingerprint& sum) {
  const bool energy = option_of(sweep_, point, "energy") == "true";
  const bool area = energy || option_of(sweep_, point, "area") == "true";
  for (std::size_t i = 0; i < names.size(); ++i) {
    const MachineFile& one = machine_files()[i];
    if ((one.read == MachineFile::Read::kForEnergy && !energy) ||
        (one.read == MachineFile::Read::kForArea && !area))
      continue;
    const auto [known, is_new] =
        named_facts_.try_emplace({i, names[i]});  // reading one takes longer than a point
    if (is_new)
      for (const std::filesystem::path& path : files_named(one, names[i], places_))
        known->second.add(fact_of(std::string(one.fact), file_fact(path.string())));
    sum.add(known->second);
  }
}

const Fingerprint& RunFingerprints::option_fact(std::size_t place, const std::string& given,
                                                unsigned repeat) {
  const config::Field& option = options_of(*sweep_.job)[place];
  option_facts_.resize(options_of(*sweep_.job).size());
  OptionFact& known = option_facts_[place];
  if (known.is_known && known.value == given && known.repeat == repeat) return known.fact;
  std::string value = used_text(option, given);
  if (option.name == "seed")
    if (const auto seed = input::parse_number(value)) value = fmt::format("{}", *seed + repeat);
  if (config::Field* const own = workloads::find_option(options_, option.name);
      own != nullptr && own->kind == config::Field::Kind::kString) {
    own->set(value);  // it may write what means the same in one way
    value = config::value_text(*own, own->get());
  }
  known = {given, repeat, true, {}};
  known.fact.add(fact_of(option.name, value));
  return known.fact;
}

Fingerprint RunFingerprints::dependencies(const Point& point) {
  const auto text_of = [&](const config::Field& option) {
    return option.name == "args" ? arguments_of(*sweep_.job, settings_of(sweep_, point))
                                 : option_of(sweep_, point, option.name);
  };
  std::string named;
  for (const config::Field& option : options_.children)
    if (option.is_file || sweep_.job->is_hosted) named += text_of(option) + '\n';
  if (const auto known = dependencies_.find(named); known != dependencies_.end()) return known->second;
  const auto workload = sweep_.job->make(places_);
  for (const config::Field& option : workload->options().children)
    if (const auto value = value_of(option, text_of(option))) single(option).set(*value);
  bool needs_machine = false;
  const workloads::Dependencies all = workload->depends_on([&] {
    needs_machine = true;
    return config::read<soc::SocParams>(
        config::load(config_of(point), overrides_of(settings_of(sweep_, point)), places_.configs));
  });
  Fingerprint sum;
  for (const std::string& fact : all.facts) sum.add(fact);
  for (const auto& [name, path] : all.files) sum.add(fact_of(name, file_fact(path)));
  if (!needs_machine) dependencies_.emplace(named, sum);
  return sum;
}

void RunFingerprints::add_job(const Point& point, unsigned repeat, Fingerprint& sum) {
  sum.add(job_fact_, false);
  const std::vector<config::Field>& options = options_of(*sweep_.job);
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i].is_file) continue;  // what is in it is a fact
    const bool is_block = options[i].name == "args";
    sum.add(option_fact(i,
                        is_block ? arguments_of(*sweep_.job, settings_of(sweep_, point))
                                 : option_of(sweep_, point, options[i].name),
                        repeat));
  }
  for (const std::string& load : sweep_.loads) {
    const std::size_t at = load.rfind('@');
    sum.add("load=" + file_fact(load.substr(0, at)) + load.substr(std::min(at, load.size())));
  }
  sum.add(dependencies(point));
}

std::string RunFingerprints::key(const Point& point, unsigned repeat) {
  Fingerprint sum;
  add_files(point, add_machine(point, sum), sum);
  add_job(point, repeat, sum);
  return sum.text();
}

std::string model_text() {
  if (!report::kBuildInfo.dirty && std::string(report::kBuildInfo.commit) != "unknown")
    return std::string(report::kBuildInfo.commit).substr(0, 12);
  static const std::string of_program = [] {
    const std::vector<unsigned char> bytes = input::read_file("/proc/self/exe");
    return "program-" +
           digest::sha256_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()}).substr(0, 12);
  }();
  return of_program;
}

}  // namespace spica::sweep
