// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network_run/network_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <set>

#include "models/base/suggest.h"
#include "platform/base/config/config.h"
#include "platform/base/input/printable.h"
#include "platform/workloads/network_run/kernel_catalogue.h"

namespace spica::network {

const config::FileKind kMapFiles{"network map", "network-maps"};

namespace {

bool matches(const std::string& pattern, const std::string& name) {
  return pattern.empty() || fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

bool matches_any(const std::string& pattern, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return matches(pattern, name); });
}

/// Errors of rules, each with its place.
class Checker {
 public:
  Checker(const config::Source& source, std::vector<config::Problem>& problems)
      : source_(source), problems_(problems) {}

  void check(const MapFile& file, const std::filesystem::path& configs) {
    const std::vector<std::string> designs = config::names(configs, kKernelFiles),
                                   kernels = KernelCatalogue(configs).kernel_names();
    for (std::size_t i = 0; i < file.rules.size(); ++i) {
      const MapRule& rule = file.rules[i];
      if (rule.type.empty() && rule.node.empty())
        report(i, "", "the rule has neither operator nor node", "operator: \"*\" for all operators");
      if (rule.design.empty() && rule.kernel.empty() && rule.format == ElementType::kUnknown)
        report(i, "", "the rule has no effect", "design, kernel, format");
      require(i, "operator", rule.type, type_names(), "operator types");
      require(i, "design", rule.design, designs, "designs");
      require(i, "kernel", rule.kernel, kernels, "kernels of configs/network-kernels");
    }
  }

  /// Rules that no operator uses.
  OperatorChoices apply(const MapFile& file, const Network& network) {
    OperatorChoices choices(network.operators.size());
    std::vector<bool> matched(file.rules.size()), used(file.rules.size());
    for (std::size_t i = 0; i < network.operators.size(); ++i) {
      const Operator& op = network.operators[i];
      for (std::size_t at = file.rules.size(); at-- > 0;) {
        const MapRule& rule = file.rules[at];
        if (!matches(rule.type, op.type()) || !matches(rule.node, op.name)) continue;
        matched[at] = true;
        if (!choices.formats[i] && rule.format != ElementType::kUnknown) {
          choices.formats[i] = rule.format;
          used[at] = true;
        }
        if (choices.kernels[i].empty() && !(rule.design + rule.kernel).empty()) {
          choices.kernels[i] = {rule.design, rule.kernel};
          used[at] = true;
        }
      }
    }
    for (std::size_t at = 0; at < file.rules.size(); ++at) {
      if (!matched[at]) report_unmatched(at, file.rules[at], network);
      else if (!used[at]) report(at, "", "later rules decide for all operators that match", "");
    }
    return choices;
  }

 private:
  static std::vector<std::string> type_names() {
    std::vector<std::string> names = operator_types();
    names.erase(names.begin());  // an elementwise operator has the name of its function
    for (auto function = Function::kIdentity; function <= Function::kWhere;
         function = static_cast<Function>(static_cast<int>(function) + 1))
      names.emplace_back(name_of(function));
    return names;
  }

  void report(std::size_t rule, const std::string& key, const std::string& what, const std::string& allowed) {
    const std::string path = fmt::format("rules.{}{}{}", rule, key.empty() ? "" : ".", key);
    problems_.push_back({config::place_of(source_.root, path), path, what, allowed});
  }

  /// `what`: the names are, if they are too many to be listed.
  void require(std::size_t rule, const char* key, const std::string& pattern,
               const std::vector<std::string>& names, const char* what) {
    if (pattern.empty() || matches_any(pattern, names)) return;
    constexpr std::size_t kShown = 70;
    const bool is_long = names.size() > kShown;
    report(
        rule, key,
        fmt::format("'{}' is unknown{}", input::printable(pattern), base::did_you_mean(pattern, names)),
        is_long ? fmt::format("the {} {}", names.size(), what) : fmt::format("{}", fmt::join(names, ", ")));
  }

  void report_unmatched(std::size_t at, const MapRule& rule, const Network& network) {
    constexpr std::size_t kShown = 8;
    std::vector<std::string> names;
    std::set<std::string> types;
    for (const Operator& op : network.operators) {
      types.insert(op.type());
      if (matches(rule.type, op.type())) names.push_back(input::printable(op.name));
    }
    if (!rule.type.empty() && !matches_any(rule.type, type_names())) return;  // already reported
    if (names.empty())
      return report(at, "operator", fmt::format("the network has no '{}'", input::printable(rule.type)),
                    fmt::format("{}", fmt::join(types, ", ")));
    const bool is_cut = names.size() > kShown;
    names.resize(std::min(names.size(), kShown));
    report(at, "node", fmt::format("no operator has the name '{}'", input::printable(rule.node)),
           fmt::format("{}{}", fmt::join(names, ", "), is_cut ? ", ... (--list prints all)" : ""));
  }

  const config::Source& source_;
  std::vector<config::Problem>& problems_;
};

}  // namespace

MapFile map_file_of(const config::Source& source, const std::filesystem::path& configs) {
  MapFile file;
  config::apply(source, file, [&](std::vector<config::Problem>& problems) {
    Checker(source, problems).check(file, configs);
  });
  return file;
}

OperatorChoices choices_of(const config::Source& source, const std::filesystem::path& configs,
                           const Network& network) {
  MapFile file;
  OperatorChoices choices;
  config::apply(source, file, [&](std::vector<config::Problem>& problems) {
    Checker checker(source, problems);
    checker.check(file, configs);
    choices = checker.apply(file, network);
  });
  return choices;
}

}  // namespace spica::network
