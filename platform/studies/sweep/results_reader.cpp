// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/results_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/suggest.h"
#include "platform/base/config/value_text.h"
#include "platform/base/input/user_error.h"
#include "platform/studies/sweep/machine_files.h"
#include "platform/studies/sweep/settings.h"
#include "platform/studies/sweep/sweep_keys.h"
#include "platform/studies/sweep/work.h"

namespace spica::sweep {

namespace {

using config::Node;

class ResultsReader {
 public:
  ResultsReader(const Node& root, Sweep& sweep, FileReader& file) : root_(root), sweep_(sweep), file_(file) {}

  void read() {
    read_measures();
    read_comparisons();
    check_results();
    check_power();
    keep_context();
  }

 private:
  void read_measures() {
    if (const Node* repeats = root_.find("repeats");
        repeats != nullptr && file_.is_map(*repeats, "repeats")) {
      file_.check_keys(*repeats, "repeats", keys_of("repeats"));
      if (const Node* seeds = repeats->find("seeds"))
        sweep_.repeats = static_cast<unsigned>(file_.number(*seeds, "repeats.seeds", 1, 1000));
      if (sweep_.job->is_own && sweep_.repeats > 1)
        file_.report(*repeats, "repeats", "a program of your own has no operands that a seed could change");
    }
    if (const Node* keep = root_.find("keep")) sweep_.keep = file_.texts(*keep, "keep");
    read_columns();
    sweep_.constraints = file_.conditions(root_, "constraints");
    if (const Node* baseline = root_.find("baseline");
        baseline != nullptr && file_.is_map(*baseline, "baseline"))
      for (std::size_t i = 0; i < baseline->keys.size(); ++i) read_baseline(*baseline, i);
    if (const Node* objectives = root_.find("objectives");
        objectives != nullptr && file_.is_map(*objectives, "objectives"))
      for (std::size_t i = 0; i < objectives->keys.size(); ++i) {
        const std::string path = "objectives." + objectives->keys[i];
        const std::string direction = file_.text(objectives->children[i], path);
        if (direction != "min" && direction != "max")
          file_.report(objectives->children[i], path, fmt::format("\"{}\" is not a direction", direction),
                       "min, max");
        sweep_.objectives.push_back({objectives->keys[i], direction == "max"});
      }
  }

  void read_columns() {
    if (const Node* columns = root_.find("columns"); columns != nullptr && file_.is_map(*columns, "columns"))
      for (std::size_t i = 0; i < columns->keys.size(); ++i) {
        const std::string path = "columns." + columns->keys[i];
        try {
          sweep_.columns.push_back(
              {columns->keys[i], config::Expression(file_.text(columns->children[i], path))});
        } catch (const input::UserError& error) {
          file_.report(columns->children[i], path, error.what());
        }
      }
    if (const Node* summary = root_.find("summary")) {
      sweep_.summary = file_.texts(*summary, "summary");
      for (const std::string& name : sweep_.summary)
        if (sweep_.axis(name) == nullptr)
          file_.report(
              *summary, "summary",
              fmt::format("\"{}\" is not an axis{}", name, base::did_you_mean(name, sweep_.axis_names())),
              fmt::format("{}", fmt::join(sweep_.axis_names(), ", ")));
    }
  }

  void read_baseline(const Node& baseline, std::size_t i) {
    const std::string path = "baseline." + baseline.keys[i];
    const std::string label = file_.text(baseline.children[i], path);
    const Axis* axis = sweep_.axis(baseline.keys[i]);
    if (axis == nullptr) {
      file_.report(baseline.children[i], path, "no such axis",
                   fmt::format("{}", fmt::join(sweep_.axis_names(), ", ")));
    } else if (std::none_of(axis->values.begin(), axis->values.end(), [&](const AxisValue& value) {
                 return value.label == label || config::operand_of(value.label) == config::operand_of(label);
               })) {
      file_.report(baseline.children[i], path, fmt::format("\"{}\" is not a value of this axis", label));
    }
    sweep_.baseline[baseline.keys[i]] = label;
  }

  /// What objectives and constraints name must be kept, and measured.
  void check_results() {
    const std::vector<std::string>& keep = sweep_.keep;
    const auto check = [&](const std::string& name, const Node& node, const std::string& path) {
      if (!keep.empty() && sweep_.axis(name) == nullptr &&
          std::find(keep.begin(), keep.end(), name) == keep.end())
        file_.report(node, path, fmt::format("\"{}\" is not kept{}", name, base::did_you_mean(name, keep)),
                     fmt::format("{}; or add it to keep", fmt::join(keep, ", ")));
      check_measured(name, node, path);
    };
    for (const std::string& name : keep) check_measured(name, *root_.find("keep"), "keep");
    for (const std::string& name : names_of_work(sweep_))
      if (sweep_.baseline.count(name) != 0)
        file_.report(*root_.find("baseline"), "baseline." + name, kNoBase);
    if (const Node* objectives = root_.find("objectives"); objectives != nullptr)
      for (std::size_t i = 0; i < objectives->keys.size(); ++i)
        check(objectives->keys[i], objectives->children[i], "objectives." + objectives->keys[i]);
    for (const config::Expression& constraint : sweep_.constraints)
      for (const std::string& name : constraint.names())
        check(name, *root_.find("constraints"), "constraints");
  }

  /// What limits a comparison of results belongs to them: what was timed and computed, and of energies their intervals
  /// and notes.
  void keep_context() {
    std::vector<std::string>& keep = sweep_.keep;
    if (keep.empty()) return;
    const auto add = [&keep](const std::string& name) {
      if (std::find(keep.begin(), keep.end(), name) == keep.end()) keep.push_back(name);
    };
    for (const std::string& name : std::vector<std::string>(keep))
      if (is_of_energy(name))
        for (const char* end : {kLow, kHigh}) add(name + end);
    if (has_designs(*sweep_.job))
      for (const char* name : {kWindow, kLead, kMultiplyAdds}) add(name);
    if (asks_for("energy"))
      for (const char* name : {kEnergyTable, kEnergyNotes}) add(name);
  }

  /// An energy, or what is calculated from one, which is an interval.
  static bool is_of_energy(const std::string& name) {
    const auto ends = [&](std::string_view end) {
      return name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
    };
    return name.find('.') == std::string::npos &&
           (ends("_uj") || ends("_mw") || ends("_per_mac") || name == "edp_uj_us");
  }

  /// Energy and area are among the results of points that ask for them.
  void check_measured(const std::string& name, const Node& node, const std::string& path) {
    const bool is_area = name == "area_mm2";
    if (is_of_energy(name) && !asks_for("energy"))
      file_.report(
          node, path,
          fmt::format("{} needs energies, which are not measured; add fixed: {{energy: true}}", name));
    if (is_area && !asks_for("energy") && !asks_for("area"))
      file_.report(node, path, fmt::format("{} is not measured; add fixed: {{area: true}}", name));
  }

  /// What energies and areas follow from does nothing where none is measured.
  void check_power() {
    if (asks_for("energy") || asks_for("area")) return;
    const auto is_power = [](const std::string& key) {
      const std::size_t file = machine_file(key);
      return key.rfind("power.", 0) == 0 ||
             (file < machine_files().size() && machine_files()[file].read != MachineFile::Read::kAlways);
    };
    const char* const what = "without effect: no energy or area is measured; fixed: {energy: true}";
    if (const Node* fixed = root_.find("fixed"); fixed != nullptr)
      for (std::size_t i = 0; i < fixed->keys.size(); ++i)
        if (const auto setting = setting_of(*sweep_.job, fixed->keys[i], "");
            setting && is_power(setting->key))
          file_.report(fixed->children[i], "fixed." + fixed->keys[i], what);
    for (const Axis& axis : sweep_.axes)
      if (!axis.keys.empty() && std::all_of(axis.keys.begin(), axis.keys.end(), is_power))
        file_.report(axis.place, "axes." + axis.name, what);
  }

  /// All points, or some of them, switch the option on.
  bool asks_for(const std::string& option) const {
    const auto asks = [&](const std::vector<Setting>& settings) {
      return std::any_of(settings.begin(), settings.end(),
                         [&](const Setting& one) { return one.key == option && one.value == "true"; });
    };
    return asks(sweep_.fixed) || std::any_of(sweep_.axes.begin(), sweep_.axes.end(), [&](const Axis& axis) {
             return std::any_of(axis.values.begin(), axis.values.end(),
                                [&](const AxisValue& value) { return asks(value.settings); });
           });
  }

  void read_comparisons() {
    if (const Node* sensitivity = root_.find("sensitivity")) {
      const std::string text = file_.text(*sensitivity, "sensitivity");
      const auto truth = config::parse_truth(text);
      sweep_.sensitivity = truth.value_or(false);
      if (!truth)
        file_.report(*sensitivity, "sensitivity", fmt::format("\"{}\" is not a boolean", text),
                     config::kTruthText);
    }
    const Node* list = root_.find("comparisons");
    if (list == nullptr) {
      if (sweep_.sensitivity)
        file_.report(*root_.find("sensitivity"), "sensitivity",
                     "it is that of comparisons, and there are none");
      return;
    }
    if (list->kind != Node::Kind::kList)
      return file_.report(*list, "comparisons", "it is a list of {design: NAME, base: NAME}");
    for (std::size_t i = 0; i < list->children.size(); ++i)
      read_comparison(list->children[i], fmt::format("comparisons.{}", i));
    if (sweep_.fixed_value("energy") != "true")
      file_.report(*list, "comparisons", "energy was not measured; add fixed: {energy: true}");
  }

  void read_comparison(const Node& node, const std::string& path) {
    if (!file_.is_map(node, path)) return;
    file_.check_keys(node, path, {"design", "base"});
    std::vector<std::string> designs;
    for (const Axis& axis : sweep_.axes)
      for (const AxisValue& value : axis.values)
        for (const Setting& setting : value.settings)
          if (setting.key == "design") designs.push_back(value.label);
    const auto read = [&](const char* key) -> std::string {
      const Node* given = node.find(key);
      if (given == nullptr) {
        file_.report(node, path + "." + key, "is missing");
        return {};
      }
      const std::string name = file_.text(*given, path + "." + key);
      if (std::find(designs.begin(), designs.end(), name) == designs.end())
        file_.report(*given, path + "." + key, fmt::format("\"{}\" is not a design of this sweep", name),
                     fmt::format("{}", fmt::join(designs, ", ")));
      return name;
    };
    const std::string design = read("design");
    sweep_.comparisons.push_back({design, read("base")});
  }

  const Node& root_;
  Sweep& sweep_;
  FileReader& file_;
};

}  // namespace

void read_results(const Node& root, Sweep& sweep, FileReader& file) {
  ResultsReader(root, sweep, file).read();
}

}  // namespace spica::sweep
