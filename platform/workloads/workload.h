// SPDX-License-Identifier: Apache-2.0
// What a run can be of: a matrix product, attention, products at once, a program of the user's.
//
// A workload declares its options once, as a block declares its parameters. The command line, the axes of sweeps, the
// keys of points, the schema and the reference follow from this declaration. The run of each is one flow
// (platform/cli/workload_command.cpp).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
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

/// What results depend on, apart from the values of options and machine.
struct Dependencies {
  std::vector<std::string> facts;  // name=value
  std::vector<std::pair<std::string, std::string>>
      files;  // names of facts, and files whose contents they are
};

class Workload {
 public:
  virtual ~Workload() = default;

  /// Its options, one group; they refer to this workload.
  virtual config::Field options() = 0;
  /// Those that say only where results of its own go: no axis, and nothing depends on them.
  virtual config::Field outputs() { return {}; }
  /// The configuration of its machine; empty: the user must say it. Throws ConfigError and UserError.
  virtual std::string machine() const = 0;
  /// It follows from the options that name files and, where it asks for it, from the machine. Throws ConfigError and
  /// UserError.
  virtual Dependencies depends_on(const std::function<soc::SocParams()>& machine) const = 0;
  /// Checks what needs no machine. Throws UserError and ConfigError.
  virtual void check_options() const {}

  // A run, in this order.

  /// Which machine and which program the job has, from the options. Throws UserError and ConfigError.
  virtual void choose(job::JobOptions& job) = 0;
  /// Fills the machine's memory, and names what runs. Throws UserError and ConfigError.
  virtual void prepare(job::Job&) {}
  /// Reads what a finished run has left in memory, and compares it. Throws UserError.
  virtual void check(job::Job&, const job::JobOutcome&) {}
  /// For results and summary, whether the run is finished or not.
  virtual Figures figures(job::Job& job, const job::JobOutcome& outcome) = 0;
};

/// One kind of workload.
struct Kind {
  std::string_view name;  // of its command
  std::string_view title;
  std::unique_ptr<Workload> (*make)(const Places& places);
  bool is_own = false;  // of a program of the user's: no random operands
  std::vector<std::string_view> words = {};  // options that are words of the command line, without a name
  std::string_view not_swept = {};  // why no sweep has it; empty: sweeps have it
};

/// All of them, in the order in which documents show them.
const std::vector<Kind>& kinds();
/// Throws std::logic_error when there is none of that name.
const Kind& kind(std::string_view name);

/// The option of that name; nullptr: there is none.
config::Field* find_option(config::Field& options, std::string_view name);
/// Gives it a legal value, where the workload has it.
void set_option(Workload& workload, std::string_view name, const config::Value& value);

}  // namespace spica::workloads
