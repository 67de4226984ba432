// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/sweep_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "models/base/suggest.h"
#include "platform/base/config/value_text.h"
#include "platform/base/input/regular_file.h"
#include "platform/machine/loader/user_error.h"
#include "platform/studies/sweep/axis_file.h"
#include "platform/studies/sweep/file_reader.h"
#include "platform/studies/sweep/point_checks.h"
#include "platform/studies/sweep/settings.h"
#include "platform/studies/sweep/sweep_keys.h"
#include "platform/studies/sweep/work.h"

namespace spica::sweep {

namespace {

using config::Node;

/// Goes through the keys of a file and keeps what is wrong.
class Reader {
 public:
  Reader(const config::Source& source, const std::filesystem::path& configs_dir, Sweep& sweep,
         std::vector<config::Problem>& problems)
      : source_(source), configs_dir_(configs_dir), sweep_(sweep), file_{problems}, checks_(configs_dir) {}

  void read() {
    const Node& root = source_.root;
    file_.check_keys(root, "", keys_of(""));
    read_head(root);
    read_fixed(root);
    read_axes(root);
    read_only(root);
    read_also(root);
    read_sample(root);
    read_work(root);
    read_results(root);
    read_comparisons(root);
    check_results(root);
    keep_context();
    read_limits(root);
    read_slurm(root);
    check_once();
    for (const Axis& axis : sweep_.axes) checks_.add(axis);
    checks_.run(*sweep_.job, file_);
  }

 private:
  void read_head(const Node& root) {
    if (const Node* name = root.find("name")) sweep_.name = file_.line(*name, "name");
    if (const Node* title = root.find("title")) sweep_.title = file_.text(*title, "title");
    if (const Node* order = root.find("order"))
      sweep_.order = static_cast<unsigned>(file_.number(*order, "order", 0, 9999));
    if (sweep_.name.empty() || sweep_.name.find('/') != std::string::npos)
      file_.report(root.find("name") != nullptr ? *root.find("name") : root, "name",
                   "it is the name of the results' folder, a word without /");
    if (const Node* job = root.find("job")) {
      const std::string text = file_.text(*job, "job");
      for (const workloads::Kind& kind : workloads::kinds())
        if (kind.name == text) sweep_.job = &kind;
      if (sweep_.job->name != text)
        file_.report(*job, "job", fmt::format("\"{}\" is no job", text), names_of_jobs());
    }
  }

  /// One value for all points; of the keys `config` and `elf` there may be several, which makes an axis.
  void read_fixed(const Node& root) {
    for (const char* key : {"config", "elf", "args"}) {
      const Node* node = root.find(key);
      if (node == nullptr) continue;
      if (node->kind == Node::Kind::kList) {
        if (std::optional<Axis> axis = read_axis(*node, key, files_of(key), file_))
          add_axis(std::move(*axis));
      } else {
        add_fixed(*node, key, key);
      }
    }
    if (const Node* load = root.find("load"))
      for (const std::string& text : file_.texts(*load, "load"))
        sweep_.loads.push_back(beside(*sweep_.job, {"load", text}, files_of("load").folder).value);
    if (const Node* fixed = root.find("fixed"); fixed != nullptr && file_.is_map(*fixed, "fixed"))
      for (std::size_t i = 0; i < fixed->keys.size(); ++i)
        add_fixed(fixed->children[i], fixed->keys[i], "fixed." + fixed->keys[i]);
  }

  /// What an axis or a value that stands at a key may name.
  AxisContext files_of(const std::string& key) const {
    return {*sweep_.job, configs_dir_, source_.folder_of(key)};
  }

  void add_fixed(const Node& node, const std::string& key, const std::string& path) {
    const std::string value = file_.text(node, path);
    const auto setting = setting_of(*sweep_.job, key, value);
    if (!setting) return report_key(node, path, key);
    check_value(*setting, node, path);
    sweep_.fixed.push_back(beside(*sweep_.job, *setting, files_of(path).folder));
    checks_.add_fixed(sweep_.fixed.back(), node.place, path);
  }

  void check_value(const Setting& setting, const Node& node, const std::string& path) {
    std::string allowed;
    if (const std::string problem = value_problem(*sweep_.job, setting, allowed); !problem.empty())
      file_.report(node, path, problem, allowed);
  }

  void report_key(const Node& node, const std::string& path, const std::string& key) {
    file_.report(node, path, unknown_option(*sweep_.job, key), allowed_options(*sweep_.job));
  }

  void add_axis(Axis axis) {
    for (const char* column : {"point", "name", "model", "state", "reason"})
      if (axis.name == column)
        file_.report(axis.place, "axes." + axis.name,
                     "the results have a column of this name; the axis needs another one, with key: in it");
    if (sweep_.axis(axis.name) != nullptr)
      file_.report(axis.place, "axes." + axis.name, "there are two axes of this name");
    else sweep_.axes.push_back(std::move(axis));
  }

  void read_axes(const Node& root) {
    const Node* axes = root.find("axes");
    if (axes == nullptr || !file_.is_map(*axes, "axes")) return;
    for (std::size_t i = 0; i < axes->keys.size(); ++i)
      if (std::optional<Axis> axis =
              read_axis(axes->children[i], axes->keys[i], files_of("axes." + axes->keys[i]), file_))
        add_axis(std::move(*axis));
  }

  void check_once() {
    std::set<std::string> seen;
    for (const Setting& setting : sweep_.fixed)
      if (!seen.insert(setting.key).second)
        file_.report(source_.root, "fixed." + setting.key, "it is set twice");
    for (const Axis& axis : sweep_.axes)
      for (const std::string& key : axis.keys)
        if (!seen.insert(key).second)
          file_.report(axis.place, "axes." + axis.name, fmt::format("{} is set elsewhere, too", key));
  }

  std::vector<Expression> conditions(const Node& root, const char* key) {
    std::vector<Expression> result;
    const Node* node = root.find(key);
    if (node == nullptr) return result;
    const std::vector<std::string> texts = file_.texts(*node, key);
    for (std::size_t i = 0; i < texts.size(); ++i) try {
        result.emplace_back(texts[i]);
      } catch (const loader::UserError& error) {
        file_.report(node->kind == Node::Kind::kList ? node->children[i] : *node,
                     fmt::format("{}.{}", key, i), error.what());
      }
    return result;
  }

  void read_only(const Node& root) {
    sweep_.only = conditions(root, "only");
    for (const Expression& condition : sweep_.only)
      for (const std::string& name : condition.names())
        if (sweep_.axis(name) == nullptr && name.find('.') == std::string::npos &&
            !setting_of(*sweep_.job, name, ""))
          file_.report(*root.find("only"), "only",
                       fmt::format("\"{}\" is no axis{}", name, base::did_you_mean(name, axis_names())),
                       fmt::format("{}, and keys of spica config --list", fmt::join(axis_names(), ", ")));
  }

  std::vector<std::string> axis_names() const {
    std::vector<std::string> names;
    for (const Axis& axis : sweep_.axes) names.push_back(axis.name);
    return names;
  }

  /// The value of an axis that has this label, or, where labels are values, a new one.
  std::optional<AxisValue> value_of(const Axis& axis, const std::string& label) const {
    for (const AxisValue& value : axis.values)
      if (value.label == label) return value;
    if (axis.zipped || axis.keys.size() != 1) return std::nullopt;
    const auto setting = setting_of(*sweep_.job, axis.keys.front(), label);
    return AxisValue{label,
                     {setting ? beside(*sweep_.job, *setting, files_of("also").folder)
                              : Setting{axis.keys.front(), label}}};
  }

  void read_work(const Node& root) {
    const Node* work = root.find("work");
    if (work == nullptr) return;
    sweep_.work.emplace();
    if (work->kind == Node::Kind::kList && work->children.empty()) return;
    sweep_.work = file_.texts(*work, "work");
    for (const std::string& name : *sweep_.work)
      if (sweep_.axis(name) == nullptr)
        file_.report(*work, "work",
                     fmt::format("\"{}\" is not an axis{}", name, base::did_you_mean(name, axis_names())),
                     fmt::format("{}", fmt::join(axis_names(), ", ")));
  }

  void read_also(const Node& root) {
    const Node* also = root.find("also");
    if (also == nullptr) return;
    if (also->kind != Node::Kind::kList) return file_.report(*also, "also", "it is a list of points");
    for (std::size_t i = 0; i < also->children.size(); ++i)
      if (file_.is_map(also->children[i], fmt::format("also.{}", i)))
        read_named_point(also->children[i], fmt::format("also.{}", i));
  }

  void read_named_point(const Node& node, const std::string& path) {
    NamedPoint point;
    for (const Axis& axis : sweep_.axes) {
      const Node* given = node.find(axis.name);
      if (given == nullptr) {
        point.values.push_back({"", {}});
        continue;
      }
      const std::string label = file_.text(*given, path + "." + axis.name);
      if (const auto value = value_of(axis, label)) {
        for (const Setting& setting : value->settings) check_value(setting, *given, path + "." + axis.name);
        point.values.push_back(*value);
      } else {
        file_.report(*given, path + "." + axis.name, fmt::format("\"{}\" is no value of this axis", label));
      }
    }
    for (std::size_t i = 0; i < node.keys.size(); ++i) {
      if (node.keys[i] == "name") point.name = file_.text(node.children[i], path + ".name");
      else if (sweep_.axis(node.keys[i]) == nullptr)
        file_.report(node.children[i], path + "." + node.keys[i], "no such axis",
                     fmt::format("name, {}", fmt::join(axis_names(), ", ")));
    }
    if (point.values.size() == sweep_.axes.size()) sweep_.also.push_back(std::move(point));
  }

  void read_sample(const Node& root) {
    const Node* sample = root.find("sample");
    if (sample == nullptr || (sample->kind == Node::Kind::kScalar && sample->scalar == "all")) return;
    const std::pair<const char*, SampleKind> kinds[] = {
        {"random", SampleKind::kRandom}, {"lhs", SampleKind::kLatinHypercube}, {"sobol", SampleKind::kSobol}};
    for (const auto& [name, kind] : kinds)
      if (const Node* count = sample->find(name)) {
        sweep_.sample.kind = kind;
        sweep_.sample.count = file_.number(*count, fmt::format("sample.{}", name), 1, kMostValues);
      }
    if (const Node* seed = sample->find("seed"))
      sweep_.sample.seed = file_.number(*seed, "sample.seed", 0, 1e15);
    if (sample->kind == Node::Kind::kMap)
      file_.check_keys(*sample, "sample", {"random", "lhs", "sobol", "seed"});
    if (sweep_.sample.kind == SampleKind::kAll)
      file_.report(*sample, "sample", "not known", "all, {random: N}, {lhs: N}, {sobol: N}");
  }

  void read_results(const Node& root) {
    if (const Node* repeats = root.find("repeats"); repeats != nullptr && file_.is_map(*repeats, "repeats")) {
      file_.check_keys(*repeats, "repeats", keys_of("repeats"));
      if (const Node* seeds = repeats->find("seeds"))
        sweep_.repeats = static_cast<unsigned>(file_.number(*seeds, "repeats.seeds", 1, 1000));
      if (sweep_.job->is_own && sweep_.repeats > 1)
        file_.report(*repeats, "repeats", "an own program has no operands that a seed could change");
    }
    if (const Node* keep = root.find("keep")) sweep_.keep = file_.texts(*keep, "keep");
    read_columns(root);
    sweep_.constraints = conditions(root, "constraints");
    if (const Node* baseline = root.find("baseline");
        baseline != nullptr && file_.is_map(*baseline, "baseline"))
      for (std::size_t i = 0; i < baseline->keys.size(); ++i) read_baseline(*baseline, i);
    if (const Node* objectives = root.find("objectives");
        objectives != nullptr && file_.is_map(*objectives, "objectives"))
      for (std::size_t i = 0; i < objectives->keys.size(); ++i) {
        const std::string path = "objectives." + objectives->keys[i];
        const std::string direction = file_.text(objectives->children[i], path);
        if (direction != "min" && direction != "max")
          file_.report(objectives->children[i], path, fmt::format("\"{}\" is no direction", direction),
                       "min, max");
        sweep_.objectives.push_back({objectives->keys[i], direction == "max"});
      }
  }

  void read_columns(const Node& root) {
    if (const Node* columns = root.find("columns"); columns != nullptr && file_.is_map(*columns, "columns"))
      for (std::size_t i = 0; i < columns->keys.size(); ++i) {
        const std::string path = "columns." + columns->keys[i];
        try {
          sweep_.columns.push_back({columns->keys[i], Expression(file_.text(columns->children[i], path))});
        } catch (const loader::UserError& error) {
          file_.report(columns->children[i], path, error.what());
        }
      }
    if (const Node* summary = root.find("summary")) {
      sweep_.summary = file_.texts(*summary, "summary");
      for (const std::string& name : sweep_.summary)
        if (sweep_.axis(name) == nullptr)
          file_.report(*summary, "summary",
                       fmt::format("\"{}\" is no axis{}", name, base::did_you_mean(name, axis_names())),
                       fmt::format("{}", fmt::join(axis_names(), ", ")));
    }
  }

  void read_baseline(const Node& baseline, std::size_t i) {
    const std::string path = "baseline." + baseline.keys[i];
    const std::string label = file_.text(baseline.children[i], path);
    const Axis* axis = sweep_.axis(baseline.keys[i]);
    if (axis == nullptr) {
      file_.report(baseline.children[i], path, "no such axis",
                   fmt::format("{}", fmt::join(axis_names(), ", ")));
    } else if (std::none_of(axis->values.begin(), axis->values.end(), [&](const AxisValue& value) {
                 return value.label == label || operand_of(value.label) == operand_of(label);
               })) {
      file_.report(baseline.children[i], path, fmt::format("\"{}\" is no value of this axis", label));
    }
    sweep_.baseline[baseline.keys[i]] = label;
  }

  /// What objectives and constraints name must be kept, and measured.
  void check_results(const Node& root) {
    const std::vector<std::string>& keep = sweep_.keep;
    const auto check = [&](const std::string& name, const Node& node, const std::string& path) {
      if (!keep.empty() && sweep_.axis(name) == nullptr &&
          std::find(keep.begin(), keep.end(), name) == keep.end())
        file_.report(node, path, fmt::format("\"{}\" is not kept{}", name, base::did_you_mean(name, keep)),
                     fmt::format("{}; or add it to keep", fmt::join(keep, ", ")));
      check_measured(name, node, path);
    };
    for (const std::string& name : keep) check_measured(name, *root.find("keep"), "keep");
    for (const std::string& name : names_of_work(sweep_))
      if (sweep_.baseline.count(name) != 0) file_.report(*root.find("baseline"), "baseline." + name, kNoBase);
    if (const Node* objectives = root.find("objectives"); objectives != nullptr)
      for (std::size_t i = 0; i < objectives->keys.size(); ++i)
        check(objectives->keys[i], objectives->children[i], "objectives." + objectives->keys[i]);
    for (const Expression& constraint : sweep_.constraints)
      for (const std::string& name : constraint.names())
        check(name, *root.find("constraints"), "constraints");
  }

  /// What limits a comparison of results belongs to them: what was timed and computed, and of energies their intervals and
  /// notes.
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
      file_.report(node, path,
                   fmt::format("{} is of energy, which is not measured: fixed: {{energy: true}}", name));
    if (is_area && !asks_for("energy") && !asks_for("area"))
      file_.report(node, path, fmt::format("{} is not measured: fixed: {{area: true}}", name));
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

  void read_comparisons(const Node& root) {
    if (const Node* sensitivity = root.find("sensitivity")) {
      const std::string text = file_.text(*sensitivity, "sensitivity");
      const auto truth = config::parse_truth(text);
      sweep_.sensitivity = truth.value_or(false);
      if (!truth)
        file_.report(*sensitivity, "sensitivity", fmt::format("\"{}\" is not a boolean", text),
                     config::kTruthText);
    }
    const Node* list = root.find("comparisons");
    if (list == nullptr) {
      if (sweep_.sensitivity)
        file_.report(*root.find("sensitivity"), "sensitivity",
                     "it is that of comparisons, and there are none");
      return;
    }
    if (list->kind != Node::Kind::kList)
      return file_.report(*list, "comparisons", "it is a list of {design: NAME, base: NAME}");
    for (std::size_t i = 0; i < list->children.size(); ++i)
      read_comparison(list->children[i], fmt::format("comparisons.{}", i));
    if (sweep_.fixed_value("energy") != "true")
      file_.report(*list, "comparisons", "they are of energy, and it is not measured: fixed: {energy: true}");
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
        file_.report(*given, path + "." + key, fmt::format("\"{}\" is no design of this sweep", name),
                     fmt::format("{}", fmt::join(designs, ", ")));
      return name;
    };
    const std::string design = read("design");
    sweep_.comparisons.push_back({design, read("base")});
  }

  void read_limits(const Node& root) {
    const Node* limits = root.find("limits");
    if (limits == nullptr || !file_.is_map(*limits, "limits")) return;
    file_.check_keys(*limits, "limits", keys_of("limits"));
    if (const Node* cycles = limits->find("cycles")) {
      sweep_.limits.cycles = file_.number(*cycles, "limits.cycles", 1, 1e15);
      sweep_.fixed.push_back({"run.max_cycles", std::to_string(sweep_.limits.cycles), Target::kParameter});
    }
    if (const Node* seconds = limits->find("seconds"))
      sweep_.limits.seconds = static_cast<double>(file_.number(*seconds, "limits.seconds", 1, 1e7));
    if (const Node* memory = limits->find("memory_mib"))
      sweep_.limits.memory_mib = file_.number(*memory, "limits.memory_mib", 1, 1e7);
  }

  void read_slurm(const Node& root) {
    const Node* slurm = root.find("slurm");
    if (slurm == nullptr || !file_.is_map(*slurm, "slurm")) return;
    file_.check_keys(*slurm, "slurm", keys_of("slurm"));
    if (const Node* node = slurm->find("partition"))
      sweep_.slurm.partition = file_.line(*node, "slurm.partition");
    if (const Node* node = slurm->find("time")) sweep_.slurm.time = file_.line(*node, "slurm.time");
    if (const Node* node = slurm->find("cpus"))
      sweep_.slurm.cpus = static_cast<unsigned>(file_.number(*node, "slurm.cpus", 1, 1024));
    if (const Node* node = slurm->find("options")) sweep_.slurm.options = file_.lines(*node, "slurm.options");
  }

  const config::Source& source_;
  const std::filesystem::path& configs_dir_;
  Sweep& sweep_;
  FileReader file_;
  PointChecks checks_;
};

}  // namespace

const config::FileKind kSweeps{"sweep", "sweeps"};

const Axis* Sweep::axis(const std::string& axis_name) const {
  const auto found =
      std::find_if(axes.begin(), axes.end(), [&](const Axis& one) { return one.name == axis_name; });
  return found == axes.end() ? nullptr : &*found;
}

std::string Sweep::fixed_value(const std::string& key) const {
  for (const Setting& setting : fixed)
    if (setting.key == key) return setting.value;
  return {};
}

Sweep read_sweep(const std::string& name, const std::filesystem::path& configs_dir) {
  return sweep_of(config::load(name, {}, configs_dir, kSweeps), configs_dir);
}

Sweep sweep_of(const config::Source& source, const std::filesystem::path& configs_dir) {
  Sweep sweep;
  std::vector<config::Problem> problems = source.problems;
  if (!source.paths.empty()) {
    sweep.file = std::filesystem::absolute(source.paths.front());
    sweep.name = sweep.file.stem().string();
    sweep.text = input::read_regular_file(sweep.file.string(), input::kMiB).text();
  }
  if (problems.empty()) Reader(source, configs_dir, sweep, problems).read();
  if (!problems.empty()) throw config::ConfigError(std::move(problems));
  return sweep;
}

}  // namespace spica::sweep
