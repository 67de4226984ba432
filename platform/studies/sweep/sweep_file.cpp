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
#include "platform/base/input/user_error.h"
#include "platform/base/text/pattern.h"
#include "platform/studies/sweep/axis_file.h"
#include "platform/studies/sweep/file_reader.h"
#include "platform/studies/sweep/point_checks.h"
#include "platform/studies/sweep/results_reader.h"
#include "platform/studies/sweep/settings.h"
#include "platform/studies/sweep/sweep_keys.h"
#include "platform/studies/sweep/work.h"
#include "platform/workloads/run_request.h"

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
    read_results(root, sweep_, file_);
    read_limits(root);
    read_slurm(root);
    check_once();
    check_needs();
    if (sweep_.job->is_hosted) check_host(root);
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
        if (kind.name == text && kind.not_swept.empty()) sweep_.job = &kind;
        else if (kind.name == text)
          return file_.report(*job, "job", fmt::format("sweeps do not support {}: {}", text, kind.not_swept),
                              names_of_jobs());
      if (sweep_.job->name != text)
        file_.report(*job, "job", fmt::format("\"{}\" is not a job", text), names_of_jobs());
    }
  }

  /// One value for all points; a list is an axis.
  void read_fixed(const Node& root) {
    for (const char* key : {"config", "elf", "program", "args", "files"}) {
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

  /// What an axis or a value at a key may name.
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
          file_.report(axis.place, "axes." + axis.name, fmt::format("{} is also set elsewhere", key));
  }

  /// A host program and its arguments.
  void check_host(const Node& root) {
    const auto is_set = [&](const std::string& key) {
      return !sweep_.fixed_value(key).empty() ||
             std::any_of(sweep_.axes.begin(), sweep_.axes.end(), [&](const Axis& axis) {
               return std::find(axis.keys.begin(), axis.keys.end(), key) != axis.keys.end();
             });
    };
    if (!is_set("program")) file_.report(root, "program", "the host program is missing");
    const std::string arguments = sweep_.fixed_value("args");
    static const text::Pattern form(R"([^{}]*\{([A-Za-z_][A-Za-z0-9_]*)\}(.*))");
    for (auto match = form.match(arguments); match; match = form.match(match->at(2)))
      if (const std::string name = match->at(1); !is_set(kArgument + name) && !is_set(kArgument + name + '='))
        file_.report(root, "args", fmt::format("no axis sets {{{}}}", name),
                     fmt::format("an axis {}: {{argument: [...]}}", name));
  }

  /// Options do nothing where no point sets what they need.
  void check_needs() {
    for (const config::Field& option : options_of(*sweep_.job))
      for (const std::vector<std::string>& one_of : option.needs) {
        const auto in_some = [&](const auto& is_so) {
          return is_so(sweep_.fixed) ||
                 std::any_of(sweep_.axes.begin(), sweep_.axes.end(), [&](const Axis& axis) {
                   return std::any_of(axis.values.begin(), axis.values.end(),
                                      [&](const AxisValue& value) { return is_so(value.settings); });
                 });
        };
        if (std::any_of(one_of.begin(), one_of.end(), [&](const std::string& wanted) {
              return in_some([&](const auto& settings) { return workloads::is_given(settings, wanted); });
            }))
          continue;
        const std::string usual = config::value_text(option, option.get());
        const auto differs = [&](const Setting& one) { return one.key == option.name && one.value != usual; };
        const std::string what = fmt::format("without effect: no point has {}", fmt::join(one_of, " or "));
        if (std::any_of(sweep_.fixed.begin(), sweep_.fixed.end(), differs))
          file_.report(source_.root, "fixed." + option.name, what);
        for (const Axis& axis : sweep_.axes)
          for (const AxisValue& value : axis.values)
            if (std::any_of(value.settings.begin(), value.settings.end(), differs)) {
              file_.report(axis.place, "axes." + axis.name, what);
              break;
            }
      }
  }

  void read_only(const Node& root) {
    sweep_.only = file_.conditions(root, "only");
    for (const config::Expression& condition : sweep_.only)
      for (const std::string& name : condition.names())
        if (sweep_.axis(name) == nullptr && name.find('.') == std::string::npos &&
            !setting_of(*sweep_.job, name, ""))
          file_.report(
              *root.find("only"), "only",
              fmt::format("\"{}\" is not an axis{}", name, base::did_you_mean(name, sweep_.axis_names())),
              fmt::format("{}, and keys of spica config --list", fmt::join(sweep_.axis_names(), ", ")));
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
        file_.report(
            *work, "work",
            fmt::format("\"{}\" is not an axis{}", name, base::did_you_mean(name, sweep_.axis_names())),
            fmt::format("{}", fmt::join(sweep_.axis_names(), ", ")));
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
        file_.report(*given, path + "." + axis.name,
                     fmt::format("\"{}\" is not a value of this axis", label));
      }
    }
    for (std::size_t i = 0; i < node.keys.size(); ++i) {
      if (node.keys[i] == "name") point.name = file_.text(node.children[i], path + ".name");
      else if (sweep_.axis(node.keys[i]) == nullptr)
        file_.report(node.children[i], path + "." + node.keys[i], "no such axis",
                     fmt::format("name, {}", fmt::join(sweep_.axis_names(), ", ")));
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

std::vector<std::string> Sweep::axis_names() const {
  std::vector<std::string> names;
  for (const Axis& axis : axes) names.push_back(axis.name);
  return names;
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
