// SPDX-License-Identifier: Apache-2.0
// The parameters of a machine, and the values one step away.
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

/// What a step makes of a machine.
enum class Direction : std::uint8_t {
  kBetter,  // better hardware, by what the parameter says of itself (config::Better)
  kWorse,
  kChoice,  // another program on the same hardware
};

/// Another value of a parameter.
struct Step {
  std::string key, unit, value, tried;
  std::vector<std::string> overrides;  // KEY=VALUE; more than one where other parameters have to follow
  Direction direction = Direction::kBetter;
  std::string refused;  // why no machine has it; empty: one has
};

/// A number that is better in one direction, or that programs choose.
struct Parameter {
  std::string key, group, unit, value;
  bool of_program = false;  // programs see it; else it changes time only
  std::optional<std::string> better, worse;  // values one step away; nothing: they would leave the range
  std::vector<std::string> choices;
};

/// A machine that differs from that of a file in one or a few values.
class MachineSteps {
 public:
  /// `config`: file of a configuration. Throws ConfigError.
  MachineSteps(std::string config, std::filesystem::path configs_dir);

  /// Those with a value one step away, in the order of the configuration. Not among them: thresholds, granularities,
  /// addresses, limits of the run, what the machine does not use, and numbers that are 0, which means that something
  /// else decides.
  const std::vector<Parameter>& parameters() const { return parameters_; }

  /// One step; `refused` where there is no such machine, not even when the parameters that it contradicts go a step in
  /// the same direction.
  Step better(const Parameter& parameter) const;
  Step worse(const Parameter& parameter) const;
  /// Steps of a parameter that programs choose, one for each of its choices.
  std::vector<Step> choices(const Parameter& parameter) const;
  /// All of them a step; those that contradict the ones before them are left out.
  std::vector<std::string> together(const std::vector<const Parameter*>& parameters, bool better) const;
  /// Clock of the cores, in MHz.
  double mhz(const std::vector<std::string>& overrides) const;

 private:
  /// What a number becomes when another one asks for more, or less, of it.
  struct Follower {
    std::optional<std::string> up, down;
    bool is_time = false;
  };

  void find(const config::Field& field, const std::string& path);
  void find_voltage();
  void raise_voltage(Step& step) const;
  Step step(const Parameter& parameter, const std::string& tried, Direction direction) const;
  /// The first thing that is wrong with a machine; nothing: there is one.
  std::optional<config::Problem> problem(const std::vector<std::string>& overrides) const;

  const std::string config_;
  const std::filesystem::path configs_dir_;
  std::vector<Parameter> parameters_;
  std::map<std::string, Follower> followers_;  // by key: whole numbers
  std::shared_ptr<const power::EnergyTable> table_;  // none: there is no energy
  double voltage_ = 0;
};

/// The value one step away: the next power of two where only these are legal, else an eighth more or less, at least 1.
/// Nothing: it would leave the range.
std::optional<std::uint64_t> one_step(std::uint64_t value, double lowest, double highest, bool power_of_two,
                                      bool up);

}  // namespace spica::sweep
