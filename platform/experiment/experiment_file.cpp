// SPDX-License-Identifier: Apache-2.0
// Experiments as files.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "platform/experiment/experiment.h"
#include "platform/loader/user_error.h"
#include "platform/workloads/design_file.h"

namespace spica::config {

template Field describe(experiment::Experiment& experiment, std::string_view name, std::string_view doc,
                        std::string_view source);

}  // namespace spica::config

namespace spica::experiment {

namespace fs = std::filesystem;

const config::FileKind kExperiments{"experiment", "experiments"};

void Experiment::check(const Experiment& experiment, const config::Contradiction& contradiction) {
  if (experiment.program.empty()) {
    if (experiment.design_names.empty())
      contradiction({"designs"}, "an experiment needs a design, or a program");
    if (experiment.sizes.empty()) contradiction({"sizes"}, "an experiment needs a size");
    if (!experiment.axes.empty())
      contradiction({"axes", "program"}, "they are of a program, and there is none");
  } else {
    if (!experiment.design_names.empty() || !experiment.sizes.empty() || experiment.energy)
      contradiction({"program"}, "with a program there are no designs, sizes or energy");
    const auto machines = std::count_if(experiment.axes.begin(), experiment.axes.end(),
                                        [](const Axis& axis) { return !axis.config.empty(); });
    if (machines != 1) contradiction({"axes"}, "one of the axes must say the configuration");
  }
  for (std::size_t i = 0; i < experiment.sizes.size(); ++i)
    if (std::count(experiment.sizes.begin(), experiment.sizes.begin() + static_cast<std::ptrdiff_t>(i),
                   experiment.sizes[i]) != 0)
      contradiction({fmt::format("sizes.{}", i)}, "given twice");
  if (!experiment.comparisons.empty() && !experiment.energy)
    contradiction({"energy"}, "comparisons are of energy");
  if (experiment.sensitivity && experiment.comparisons.empty())
    contradiction({"sensitivity"}, "it is that of comparisons, and there are none");
}

const workloads::GemmDesign& Experiment::design(const std::string& design_name) const {
  for (const workloads::GemmDesign& one : designs)
    if (one.name == design_name) return one;
  throw std::logic_error("no design of the experiment: " + design_name);
}

std::vector<Cell> Experiment::cells() const {
  std::vector<Cell> cells;
  for (const ProgramCell& one : program_cells) cells.push_back({one.config, one.name});
  for (const workloads::GemmDesign& one : designs)
    for (const std::string& size : sizes) cells.push_back({one.name, size});
  return cells;
}

namespace {

/// Fills in what an experiment names, and finds what is wrong with that.
class Table {
 public:
  Table(const config::Source& source, const fs::path& configs_dir, Experiment& experiment,
        std::vector<config::Problem>& problems)
      : source_(source), configs_dir_(configs_dir), experiment_(experiment), problems_(problems) {}

  void read_designs() {
    for (std::size_t i = 0; i < experiment_.design_names.size(); ++i)
      read_design(fmt::format("designs.{}", i), experiment_.design_names[i]);
  }

  void check_sizes() {
    for (std::size_t i = 0; i < experiment_.sizes.size(); ++i)
      for (const workloads::GemmDesign& design : experiment_.designs) try {
          if (experiment_.sizes[i].empty()) throw loader::UserError("a size is MxNxK");
          workloads::parse_sizes(design, experiment_.sizes[i]);
        } catch (const loader::UserError& error) {
          report(fmt::format("sizes.{}", i), error.what());
        }
  }

  void check_comparisons() {
    for (std::size_t i = 0; i < experiment_.comparisons.size(); ++i) {
      const Comparison& comparison = experiment_.comparisons[i];
      check_name(fmt::format("comparisons.{}.design", i), comparison.design);
      check_name(fmt::format("comparisons.{}.base", i), comparison.base);
    }
  }

 private:
  void read_design(const std::string& key, const std::string& name) {
    const fs::path beside = source_.folder_of(key) / name;
    std::error_code ignored;
    const std::string given = fs::is_regular_file(beside, ignored) ? beside.string() : name;
    try {
      workloads::GemmDesign design = workloads::read_gemm_design(given, configs_dir_);
      if (!names_.insert(design.name).second)
        return report(key, fmt::format("{} is given twice", design.name));
      experiment_.designs.push_back(std::move(design));
    } catch (const config::ConfigError& error) {
      // Where the name stands, when there is no such design; in its own file, when that is wrong.
      for (config::Problem problem : error.problems()) {
        if (problem.place.line == 0) {
          problem.what = fmt::format("{}: {}", problem.place.text(), problem.what);
          problem.place = config::place_of(source_.root, key);
          problem.key = key;
        }
        problems_.push_back(std::move(problem));
      }
    }
  }

  void check_name(const std::string& key, const std::string& name) {
    if (name.empty() || names_.count(name) != 0) return;
    report(key, fmt::format("\"{}\" is no design of this experiment", name),
           fmt::format("{}", fmt::join(names_, ", ")));
  }

  void report(const std::string& key, const std::string& what, const std::string& allowed = {}) {
    problems_.push_back({config::place_of(source_.root, key), key, what, allowed});
  }

  const config::Source& source_;
  const fs::path& configs_dir_;
  Experiment& experiment_;
  std::vector<config::Problem>& problems_;
  std::set<std::string> names_;
};

}  // namespace

Experiment experiment_of(const config::Source& source, const fs::path& configs_dir) {
  Experiment experiment;
  experiment.name = workloads::name_of(source);
  config::apply(source, experiment, [&](std::vector<config::Problem>& problems) {
    Table table(source, configs_dir, experiment, problems);
    table.read_designs();
    table.check_sizes();
    table.check_comparisons();
  });
  if (!experiment.program.empty()) experiment.program_cells = program_cells(experiment.axes);
  return experiment;
}

Experiment read_experiment(const std::string& name, const fs::path& configs_dir) {
  return experiment_of(config::load(name, {}, configs_dir, kExperiments), configs_dir);
}

}  // namespace spica::experiment
