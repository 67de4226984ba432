// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/ert_file.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <vector>

#include "platform/base/config/config.h"
#include "platform/base/config/node.h"
#include "platform/base/input/printable.h"
#include "platform/observe/energy/accelergy_files.h"
#include "platform/observe/energy/blocks.h"

namespace spica::energy {

namespace {

using config::Node;

/// Reads two files and keeps what is wrong with them.
class ErtReader {
 public:
  /// Components and their classes, of the node "architecture" and what is below it.
  void read_architecture(const Node& node, const std::string& prefix) {
    if (const Node* local = node.find("local"))
      for (const Node& component : local->children) {
        const std::string name = join(prefix, text_of(component, "name"));
        classes_[name] = text_of(component, "class");
      }
    if (const Node* subtree = node.find("subtree"))
      for (const Node& inner : subtree->children)
        read_architecture(inner, join(prefix, text_of(inner, "name")));
  }

  void read_tables(const Node& ert) {
    const Node* tables = ert.find("tables");
    if (tables == nullptr || tables->kind != Node::Kind::kList)
      return report(ert, "ERT.tables",
                    "is not a list of components with their actions, as in version 0.3 and 0.4");
    for (const Node& table : tables->children) read_table(table);
  }

  void report(const Node& node, const std::string& key, const std::string& what) {
    problems_.push_back({node.place, key, what, ""});
  }

  /// Energies by index in event_kinds(); throws what was wrong.
  std::map<std::size_t, double> finish() {
    if (!problems_.empty()) throw config::ConfigError(std::move(problems_));
    return energies_;
  }

 private:
  static std::string join(const std::string& prefix, const std::string& name) {
    return prefix.empty() ? name : prefix + "." + name;
  }
  static std::string text_of(const Node& node, const char* key) {
    const Node* value = node.find(key);
    return value != nullptr ? value->scalar : std::string();
  }

  void read_table(const Node& table) {
    const std::string name = text_of(table, "name");
    const auto component = classes_.find(name);
    if (component == classes_.end())
      return report(table, "ERT.tables",
                    fmt::format("\"{}\" is not a component of the architecture", input::printable(name)));
    const Node* actions = table.find("actions");
    if (actions == nullptr) return report(table, "ERT.tables", name + " has no actions");
    for (const Node& action : actions->children) read_action(action, name, component->second);
  }

  void read_action(const Node& action, const std::string& component, const std::string& of_class) {
    const std::string name = text_of(action, "name");
    const std::vector<power::EventKind>& kinds = power::event_kinds();
    std::size_t kind = 0;
    while (kind < kinds.size() &&
           (class_name(*kinds[kind].type) != of_class || action_name(kinds[kind]) != name))
      ++kind;
    if (kind == kinds.size())
      return report(action, "ERT.tables",
                    fmt::format("\"{}\" is not an event of class \"{}\"; spica power --events lists them",
                                input::printable(name), input::printable(of_class)));
    const std::string text = text_of(action, "energy");
    char* end = nullptr;
    const double energy = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !std::isfinite(energy) || energy < 0)
      return report(action, "ERT.tables",
                    fmt::format("energy of {} of {} is \"{}\"; a number of pJ, at least 0, is expected", name,
                                input::printable(component), input::printable(text)));
    const auto [known, is_new] = energies_.emplace(kind, energy);
    if (!is_new && known->second != energy)
      report(
          action, "ERT.tables",
          fmt::format(
              "{} of {} takes {} pJ, but {} before: blocks of a kind, and all arguments of an action, share one "
              "energy",
              name, input::printable(component), energy, known->second));
  }

  std::map<std::string, std::string> classes_;  // by component
  std::map<std::size_t, double> energies_;
  std::vector<config::Problem> problems_;
};

/// The node at the root of a file; throws what is wrong with it.
config::Source open(const std::filesystem::path& file, const char* key) {
  config::Source source = config::load(file.string(), {}, file.parent_path());
  if (source.problems.empty() && source.root.find(key) == nullptr)
    source.problems.push_back({{source.name}, key, "is missing: a file of Accelergy is expected", ""});
  if (!source.problems.empty()) throw config::ConfigError(std::move(source.problems));
  return source;
}

}  // namespace

std::string table_of_ert(const std::filesystem::path& ert, const std::filesystem::path& architecture,
                         const std::string& base) {
  machine_types();  // are all there
  ErtReader reader;
  reader.read_architecture(*open(architecture, "architecture").root.find("architecture"), "");
  reader.read_tables(*open(ert, "ERT").root.find("ERT"));
  std::string text = fmt::format(
      "# Energies of {}. Other entries are those of the table it extends.\nextends: {}\nevents:\n",
      input::printable(ert.filename().string()), base);
  std::string group;
  for (const auto& [kind, energy] : reader.finish()) {
    const std::string name(power::event_kinds()[kind].name);
    const std::string first = name.substr(0, name.find('.'));
    if (first != group) text += fmt::format("  {}:\n", first);
    group = first;
    text += fmt::format(
        "    {}: {{low: {}, nominal: {}, high: {}, unit: pJ, law: \"\", calibrated: false, doubtful: false, source: \"{}Accelergy, {}\"}}\n",
        name.substr(first.size() + 1), energy, energy, energy, energy == 0 ? "not counted by " : "",
        input::printable(ert.filename().string()));
  }
  return text;
}

}  // namespace spica::energy
