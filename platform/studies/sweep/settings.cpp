// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <map>
#include <memory>

#include "models/base/suggest.h"
#include "platform/base/config/earlier_name.h"
#include "platform/base/config/find_field.h"
#include "platform/base/config/value_text.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/run/job_options.h"

namespace spica::sweep {

namespace {

/// The options of runs.
const std::vector<config::Field>& job_options() {
  static job::JobOptions options;
  static const std::vector<config::Field> all = [] {
    std::vector<config::Field> fields;
    for (config::Field& group : job::describe_options(options))
      for (config::Field& option : group.children) fields.push_back(std::move(option));
    return fields;
  }();
  return all;
}

/// The parameter that such an option is short for; nullptr: it is none.
const std::string* parameter_of(const std::string& key) {
  for (const config::Field& option : job_options())
    if (option.name == key && !option.parameter.empty()) return &option.parameter;
  return nullptr;
}

/// A workload of each kind, and its options.
struct Options {
  std::unique_ptr<workloads::Workload> workload;
  std::vector<config::Field> fields;
};

std::vector<std::string> names_of(const workloads::Kind& job) {
  std::vector<std::string> names;
  for (const config::Field& option : options_of(job)) names.push_back(option.name);
  for (const config::Field& option : job_options())
    if (!option.parameter.empty()) names.push_back(option.name);
  return names;
}

/// Whether it is a parameter of machines, or a group of them; nothing: neither.
std::optional<Target> target_of(const std::string& key) {
  bool is_there = false;
  const auto found = config::find_field(soc::described_machine(), key, is_there);
  if (found && found->kind == config::Field::Kind::kGroup) return Target::kGroup;
  // Those of plugins are known to the machine only.
  return found || key.find('.') != std::string::npos ? std::optional(Target::kParameter) : std::nullopt;
}

}  // namespace

config::Field single(const config::Field& option) {
  if (option.kind != config::Field::Kind::kList) return option;
  config::Field one = option.prototype();
  one.name = option.name;
  one.doc = option.doc;
  one.concern = option.concern;
  one.earlier = option.earlier;
  one.get = [] { return config::Value(std::string()); };
  one.set = [resize = option.resize](const config::Value& value) { resize(1).front().set(value); };
  return one;
}

const std::vector<config::Field>& options_of(const workloads::Kind& job) {
  static std::map<std::string_view, Options> all;
  const auto [found, is_new] = all.try_emplace(job.name);
  Options& options = found->second;
  if (is_new) {
    options.workload = job.make({});
    for (const config::Field& option : options.workload->options().children)
      options.fields.push_back(single(option));
    for (const config::Field& option : job_options())
      if (option.concern == config::Concern::kMeasure && job.supports(option.name))
        options.fields.push_back(single(option));
  }
  return options.fields;
}

const config::Field* find_option(const workloads::Kind& job, const std::string& name) {
  return config::option_of_name(options_of(job), name);
}

bool has_designs(const workloads::Kind& job) { return find_option(job, "design") != nullptr; }

std::optional<Setting> setting_of(const workloads::Kind& job, const std::string& key,
                                  const std::string& value) {
  if (const std::string* const parameter = parameter_of(key))
    return Setting{*parameter, value, Target::kParameter};
  constexpr std::string_view kNamed = "args.";
  const bool has_arguments = find_option(job, "args") != nullptr;
  if (has_arguments && key.rfind(kNamed, 0) == 0 && key.size() > kNamed.size())
    return Setting{kArgument + key.substr(kNamed.size()) + '=', value};
  if (has_arguments && key.rfind(kArgument, 0) == 0) return Setting{key, value};
  if (const config::Field* const option = find_option(job, key)) return Setting{option->name, value};
  if (const auto target = target_of(key)) return Setting{key, value, *target};
  return std::nullopt;
}

std::string value_problem(const workloads::Kind& job, const Setting& setting, std::string& allowed) {
  const config::Field* const option = setting.of_machine() ? nullptr : find_option(job, setting.key);
  std::string why;
  const bool is_left_out =
      option != nullptr && option->kind == config::Field::Kind::kChoice && setting.value.empty();
  if (option == nullptr || is_left_out || config::parse_value(*option, setting.value, why)) return {};
  allowed = config::allowed_text(*option);
  return why;
}

namespace {

/// The arguments of a host program: values of axes replace {AXIS}, or are added at the end.
std::string host_arguments(const std::vector<Setting>& settings) {
  std::string text;
  for (const Setting& setting : settings)
    if (setting.key == "args") text = setting.value;
  for (const Setting& setting : settings) {
    if (setting.key.rfind(kArgument, 0) != 0) continue;
    std::string name = setting.key.substr(std::string_view(kArgument).size());
    if (!name.empty() && name.back() == '=') name.pop_back();
    const std::string place = '{' + name + '}';
    if (text.find(place) != std::string::npos) boost::replace_all(text, place, setting.value);
    else if (!setting.value.empty()) text += (text.empty() ? "" : " ") + setting.value;
  }
  return text;
}

}  // namespace

std::string arguments_of(const workloads::Kind& job, const std::vector<Setting>& settings) {
  if (job.is_hosted) return host_arguments(settings);
  std::string text;
  const auto add = [&](const std::string& item) { text += (text.empty() ? "" : ",") + item; };
  for (const Setting& setting : settings)
    if (setting.key == "args" && !setting.value.empty()) add(setting.value);
  for (const Setting& setting : settings)
    if (setting.key.rfind(kArgument, 0) == 0) {
      const std::string name = setting.key.substr(std::string_view(kArgument).size());
      if (!name.empty() && name.back() == '=') add(name + setting.value);
      else add((setting.value.find(':') == std::string::npos ? "u32:" : "") + setting.value);
    }
  return text;
}

std::string unknown_option(const workloads::Kind& job, const std::string& key) {
  return fmt::format("\"{}\" is neither an option of spica {} nor a parameter{}", key, job.name,
                     base::did_you_mean(key, names_of(job)));
}

std::string allowed_options(const workloads::Kind& job) {
  return fmt::format("{}, and keys of spica config --list", fmt::join(names_of(job), ", "));
}

}  // namespace spica::sweep
