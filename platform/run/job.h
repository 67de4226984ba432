// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/config/config.h"
#include "platform/json/value.h"
#include "platform/loader/memory_image.h"
#include "platform/loader/memory_range.h"
#include "platform/loader/program.h"
#include "platform/loader/source_map.h"
#include "platform/report/console_collector.h"
#include "platform/run/job_options.h"
#include "platform/run/outcome.h"
#include "platform/run/signals.h"
#include "platform/run/troubles.h"
#include "platform/soc/soc_params.h"

namespace spica::check {
class Buffers;
class Findings;
class HazardChecker;
class MemoryChecker;
class Suppressions;
}  // namespace spica::check
namespace spica::debug {
class Server;
}
namespace spica::energy {
class EnergyReport;
class Recorder;
}  // namespace spica::energy
namespace spica::power {
class EnergyTable;
}
namespace spica::profile {
struct Profile;
class Profiler;
}  // namespace spica::profile
namespace spica::protocol {
class AddressMap;
}
namespace spica::soc {
class Machine;
class Soc;
}  // namespace spica::soc
namespace spica::trace {
class Tracer;
}

namespace spica::run {

class Session;
class Timeline;

/// What a command knows about a run beyond the machine's own counts.
struct RunFigures {
  std::optional<double> utilisation;  // 0..1 of the unit's multiply-adds
  std::optional<bool> verified;       // against a reference
  json::Value details = json::Value::object();  // design, size ...
};

/// One run from configuration to results: reads everything the user gave (and complains about it before
/// the first cycle), builds the machine, fills memory, runs, saves memory, writes the results.
class Job {
 public:
  /// Throws ConfigError and UserError.
  Job(const JobOptions& options, const std::filesystem::path& configs_dir);
  ~Job();

  const soc::SocParams& params() const { return params_; }
  const loader::SourceMap& sources() const { return sources_; }
  bool fast() const;
  /// The machine of the cycle mode; only there.
  soc::Soc& soc();

  /// Host access to guest memory before and after the run; throws UserError outside memory.
  void write(std::uint64_t address, const void* from, std::uint64_t bytes);
  void read(std::uint64_t address, void* to, std::uint64_t bytes);

  /// Gives a piece of memory a name, for reports.
  void name_buffer(const std::string& name, std::uint64_t address, std::uint64_t bytes);

  /// Runs to the end with a progress line on a terminal, prints reports of faults and hangs, then saves the
  /// memory the user asked for. From its beginning on a signal ends the run in order, see Interrupt.
  const Outcome& run();

  /// Writes stats.json, config.yaml and console.txt into the output folder, and the report, when they are
  /// wanted.
  void write_results(const RunFigures& figures);

  /// What went wrong besides the program; its exit_code() is the command's.
  Troubles& troubles() { return troubles_; }

  /// Energy of the run; null unless it was asked for.
  const energy::EnergyReport* energy() const { return energy_.get(); }
  /// Where issue slots spent their time; null unless it was asked for.
  const profile::Profile* profile() const { return profile_.get(); }
  const loader::Program& program() const { return program_; }
  const JobOptions& options() const { return options_; }

  /// Warp and lane instructions over all cores.
  std::uint64_t warp_instructions() const;
  std::uint64_t thread_instructions() const;

 private:
  void print_problems();
  void check_mode() const;
  soc::Machine& machine() const;
  const protocol::AddressMap& map() const;
  Outcome run_under_gdb();
  Outcome run_with_progress();
  void finish_checks();
  bool wants_results() const { return !options_.out.empty() || !options_.report.empty(); }
  std::string effective_config() const;
  json::Value results(const RunFigures& figures, const std::string& config_text);
  json::Value fast_results(const RunFigures& figures, const std::string& config_text);
  void add_common_results(json::Value& document, const RunFigures& figures) const;
  std::string report_name(const RunFigures& figures) const;
  void write_text(const std::string& name, const std::string& text);
  void write_activity() const;
  void report_failure();
  void watch_traces();
  void watch_checks();
  void watch_hazards();
  void watch_memory();
  std::uint64_t report_findings(const check::Findings& found, const check::Buffers& buffers, const char* what,
                                const std::string& file, const std::string& key);
  void watch_profile();
  void finish_profile();
  void watch_energy(const std::filesystem::path& configs_dir);

  JobOptions options_;
  std::filesystem::path configs_dir_;
  config::Source source_;
  soc::SocParams params_;
  loader::Program program_;
  loader::SourceMap sources_;
  report::ConsoleCollector console_;
  double elaboration_seconds_ = 0;
  double startup_seconds_ = 0;
  std::unique_ptr<Session> session_;
  std::unique_ptr<debug::Server> debugger_;  // null without gdb
  std::unique_ptr<power::EnergyTable> energy_table_;
  std::unique_ptr<energy::Recorder> recorder_;
  std::unique_ptr<energy::EnergyReport> energy_;
  std::unique_ptr<check::HazardChecker> hazards_;
  std::unique_ptr<check::MemoryChecker> memory_errors_;
  std::unique_ptr<check::Suppressions> suppressions_;  // of all checks; never null
  std::vector<std::string> checked_kinds_;  // of the checks that run
  std::unique_ptr<trace::Tracer> tracer_;  // null when no traces are wanted
  std::unique_ptr<profile::Profiler> profiler_;
  std::unique_ptr<profile::Profile> profile_;
  std::unique_ptr<Timeline> timeline_;  // null when no results are wanted
  std::vector<loader::SaveImage> saves_;
  std::vector<loader::MemoryRange> filled_;  // before the run
  Outcome outcome_;
  json::Value hang_;  // null when the program did not hang
  Troubles troubles_;
  std::unique_ptr<Interrupt::Keep> keep_;  // from the beginning of the run on
};

}  // namespace spica::run
