// SPDX-License-Identifier: Apache-2.0
// The parameters of a machine, and their values one step away.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/config/field.h"
#include "platform/base/config/problem.h"

namespace spica::power {
class EnergyTable;
}

namespace spica::sweep {

/// The kind of a step.
enum class Direction : std::uint8_t {
  kBetter,  // better hardware, according to the parameter's description (config::Better)
  kWorse,
  kChoice,  // another program on the same hardware
};

/// Another value of a parameter.
struct Step {
  std::string key, unit, value, tried;
  std::vector<std::string> overrides;  // KEY=VALUE; several if other parameters must follow
  Direction direction = Direction::kBetter;
  std::string refused;  // reason why no machine has it; empty: possible
};

/// A number with a better direction, or one that programs choose.
struct Parameter {
  std::string key, group, unit, value;
  bool of_program = false;  // visible to programs; false: affects timing only
  std::optional<std::string> better, worse;  // values one step away; empty: outside the range
  std::vector<std::string> choices;
};

/// Machines that differ from that of a file in one or a few values.
class MachineSteps {
 public:
  /// `config`: configuration file. Throws ConfigError.
  MachineSteps(std::string config, std::filesystem::path configs_dir);

  /// The parameters with a value one step away, in the order of the configuration. Without: thresholds, granularities,
  /// addresses, limits of the run, unused parameters, and numbers that are 0, for which another parameter decides.
  const std::vector<Parameter>& parameters() const { return parameters_; }

  /// One step; `refused` if there is no such machine even when the parameters it contradicts take a step in the same
  /// direction.
  Step better(const Parameter& parameter) const;
  Step worse(const Parameter& parameter) const;
  /// Steps of a parameter that programs choose, one for each of its choices.
  std::vector<Step> choices(const Parameter& parameter) const;
  /// A step of all these parameters; those that contradict earlier ones are omitted.
  std::vector<std::string> together(const std::vector<const Parameter*>& parameters, bool better) const;
  /// Clock of the cores, in MHz.
  double mhz(const std::vector<std::string>& overrides) const;

 private:
  /// How a number follows another one that needs more, or less, of it.
  struct Follower {
    std::optional<std::string> up, down;
    bool is_time = false;
  };

  void find(const config::Field& field, const std::string& path);
  void find_voltage();
  void raise_voltage(Step& step) const;
  Step step(const Parameter& parameter, const std::string& tried, Direction direction) const;
  /// The first error of a machine; empty: it is valid.
  std::optional<config::Problem> problem(const std::vector<std::string>& overrides) const;

  const std::string config_;
  const std::filesystem::path configs_dir_;
  std::vector<Parameter> parameters_;
  std::map<std::string, Follower> followers_;  // whole numbers, by key
  std::shared_ptr<const power::EnergyTable> table_;  // nullptr: no energies
  double voltage_ = 0;
};

/// The value one step away: the next power of two if only these are valid, else an eighth more or less, at least 1.
/// Empty: outside the range.
std::optional<std::uint64_t> one_step(std::uint64_t value, double lowest, double highest, bool power_of_two,
                                      bool up);

}  // namespace spica::sweep
