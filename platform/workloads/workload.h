// SPDX-License-Identifier: Apache-2.0
// The kinds of runs: a matrix product, attention, streams, networks, a user's program, an OpenCL program.
//
// A workload declares its options once, as a block declares its parameters. Command line, sweep axes, point keys,
// schema and reference are derived from this declaration. All runs have the same flow
// (platform/cli/workload_command.cpp).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/base/config/field.h"
#include "platform/workloads/places.h"

namespace spica::job {
class Job;
struct JobOptions;
struct JobOutcome;
}  // namespace spica::job
namespace spica::soc {
struct SocParams;
}

namespace spica::workloads {

struct Figures;

/// Dependencies of results other than the values of options and machine.
struct Dependencies {
  std::vector<std::string> facts;  // name=value
  std::vector<std::pair<std::string, std::string>> files;  // names of facts, and files with their contents
};

class Workload {
 public:
  virtual ~Workload() = default;

  /// Its options, one group; the fields refer to this workload.
  virtual config::Field options() = 0;
  /// Options that only select output files: not sweep axes, and no result depends on them.
  virtual config::Field outputs() { return {}; }
  /// The configuration of its machine; empty: the user must give it. Throws ConfigError and UserError.
  virtual std::string machine() const = 0;
  /// Its dependencies, from the options that name files and, if it calls the argument, from the machine. Throws
  /// ConfigError and UserError.
  virtual Dependencies depends_on(const std::function<soc::SocParams()>& machine) const = 0;
  /// Checks that need no machine. Throws UserError and ConfigError.
  virtual void check_options() const {}
  /// What its command prints instead of a run, if its options ask for it. Throws UserError and ConfigError.
  virtual std::optional<std::string> listing() { return std::nullopt; }
};

/// A workload on a machine in this process.
class MachineWorkload : public Workload {
 public:
  // A run calls the following in this order.

  /// Sets the machine and the program of the job, from the options. Throws UserError and ConfigError.
  virtual void choose(job::JobOptions& job) = 0;
  /// Fills the machine's memory, and selects what runs. Throws UserError and ConfigError.
  virtual void prepare(job::Job&) {}
  /// Reads and checks the results of a finished run in memory. Throws UserError.
  virtual void check(job::Job&, const job::JobOutcome&) {}
  /// For results and summary, also if the run did not finish.
  virtual Figures figures(job::Job& job, const job::JobOutcome& outcome) = 0;
};

/// A workload whose machines belong to a host program, in processes of their own.
class HostWorkload : public Workload {
 public:
  /// Runs the host program, and writes results as requested. Returns the exit code of the command. Throws UserError and
  /// ConfigError.
  virtual int run(const job::JobOptions& job) = 0;
};

/// The options of every run that a kind supports.
struct SupportedOptions {
  std::vector<std::string_view> names;
  std::vector<std::pair<std::string_view, std::string_view>> refused;  // others, with the reason
};

/// One kind of workload.
struct Kind {
  std::string_view name;  // name of its command
  std::string_view title;
  std::unique_ptr<Workload> (*make)(const Places& places);
  bool is_own = false;  // runs a user's program: no random operands
  std::vector<std::string_view> words = {};  // options given as words of the command line, without a name
  std::string_view not_swept = {};  // reason why sweeps do not support it; empty: they do
  bool resumes = false;  // from checkpoints: prepare() changes nothing that a run has written
  /// Its words are a host program and the program's arguments, which are its last two options. They follow all options,
  /// and `args` is split as a shell does.
  bool is_hosted = false;
  const SupportedOptions* supported = nullptr;  // nullptr: all

  bool supports(std::string_view option) const;
};

/// All kinds, in the order of the documentation.
const std::vector<Kind>& kinds();
/// Throws std::logic_error if there is none with that name.
const Kind& kind(std::string_view name);

/// The option with that name; nullptr: none.
config::Field* find_option(config::Field& options, std::string_view name);
/// Sets an option, if the workload has it, to a legal value.
void set_option(Workload& workload, std::string_view name, const config::Value& value);

}  // namespace spica::workloads
