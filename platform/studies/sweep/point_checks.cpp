// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/point_checks.h"

#include <set>

#include "platform/base/input/user_error.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/studies/sweep/plan.h"

namespace spica::sweep {

bool is_certain(const config::Problem& problem) {
  return problem.key.find(", ") == std::string::npos && problem.place.override_number != 0;
}

void PointChecks::add(const Setting& setting, const config::Place& place, const std::string& path) {
  if (setting.key == "design") designs_.push_back({setting.value, place, path});
  if (setting.key == "size") sizes_.push_back({setting.value, place, path});
  if (setting.key == "config") configs_.push_back({setting.value, place, path});
}

void PointChecks::add_fixed(const Setting& setting, const config::Place& place, const std::string& path) {
  if (setting.of_machine()) fixed_.push_back({override_of(setting), place, path});
  else add(setting, place, path);
}

void PointChecks::add(const Axis& axis) {
  constexpr std::size_t kMostParameters = 100;  // of an axis; the last one is among them
  const std::size_t step = (axis.values.size() + kMostParameters - 1) / kMostParameters;
  for (std::size_t i = 0; i < axis.values.size(); ++i) {
    const AxisValue& value = axis.values[i];
    config::Place place = axis.place;
    if (value.line != 0) {
      place.line = value.line;
      place.column = 0;
    }
    for (const Setting& setting : value.settings) {
      if (!setting.of_machine()) add(setting, place, "axes." + axis.name);
      else if (i % step == 0 || i + 1 == axis.values.size())
        varied_.push_back({override_of(setting), place, "axes." + axis.name});
    }
  }
}

/// The first configuration is that of the first machine.
bool PointChecks::read_design(workloads::Workload& workload, const Given& design, std::string& config,
                              FileReader& file) const try {
  workloads::set_option(workload, "design", design.value);
  const std::string machine = workload.machine();
  if (config.empty()) config = machine;
  return true;
} catch (const config::ConfigError& error) {
  // The place of the name, when there is no such design; in its own file, when that is wrong.
  for (const config::Problem& problem : error.problems()) {
    if (problem.place.line != 0) file.report(problem.place, problem.key, problem.what, problem.allowed);
    else file.report(design.place, design.path, problem.place.text() + ": " + problem.what, problem.allowed);
  }
  return false;
}

void PointChecks::check_parameters(const std::string& config, FileReader& file) const {
  std::vector<std::string> overrides;
  for (const Given& one : fixed_) overrides.push_back(one.value);
  const auto problems_of = [&] {
    try {
      config::read<soc::SocParams>(config::load(config, overrides, configs_dir_));
    } catch (const config::ConfigError& error) {
      return error.problems();
    }
    return std::vector<config::Problem>();
  };
  for (const config::Problem& problem : problems_of())
    if (is_certain(problem))
      file.report(fixed_.at(problem.place.override_number - 1).place, problem.key, problem.what,
                  problem.allowed);
  for (const Given& one : varied_) {
    overrides.push_back(one.value);
    for (const config::Problem& problem : problems_of())
      if (is_certain(problem) && problem.place.override_number == overrides.size())
        file.report(one.place, problem.key, problem.what, problem.allowed);
    overrides.pop_back();
  }
}

void PointChecks::run(const workloads::Kind& job, FileReader& file) const {
  workloads::Places places;
  places.configs = configs_dir_;
  const auto workload = job.make(places);
  bool good = true;
  std::string config;
  if (!configs_.empty()) config = configs_.front().value;
  for (const Given& design : designs_) good = read_design(*workload, design, config, file) && good;
  if (good && !config.empty() && !(fixed_.empty() && varied_.empty())) check_parameters(config, file);
  constexpr std::size_t kMostPairs = 10'000;
  std::vector<std::string> designs;
  if (good && designs_.size() * sizes_.size() <= kMostPairs)
    for (const Given& design : designs_) designs.push_back(design.value);
  if (designs.empty()) designs.emplace_back();
  std::set<const Given*> wrong;
  for (const std::string& design : designs) {
    workloads::set_option(*workload, "design", design);
    for (const Given& size : sizes_) try {
        if (wrong.count(&size) != 0) continue;
        if (size.value.empty()) throw input::UserError("a size is MxNxK");
        workloads::set_option(*workload, "size", size.value);
        workload->check_options();
      } catch (const input::UserError& error) {
        wrong.insert(&size);
        file.report(size.place, size.path, error.what());
      }
  }
}

}  // namespace spica::sweep
