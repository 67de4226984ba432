// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platform/check/hazard_checker.h"
#include "platform/config/config.h"
#include "platform/debug/server.h"
#include "platform/energy/energy_report.h"
#include "platform/energy/energy_text.h"
#include "platform/loader/argument_block.h"
#include "platform/loader/memory_image.h"
#include "platform/loader/program.h"
#include "platform/loader/source_map.h"
#include "platform/profile/profile_text.h"
#include "platform/run/session.h"
#include "platform/run/timeline.h"
#include "platform/trace/tracer.h"

namespace spica::run {

/// What the user asked for, as the command line gives it.
struct JobOptions {
  std::string config = "virgo";        // file, or name of one in configs/
  std::vector<std::string> overrides;  // KEY=VALUE
  std::string elf;
  std::vector<std::string> loads;      // FILE@ADDRESS
  std::vector<std::string> saves;      // FILE@ADDRESS+BYTES
  std::string arguments;               // argument block, see loader/argument_block.h
  std::string out;                     // folder for results; empty: none
  std::string report;                  // HTML file; empty: none
  bool show_console = true;            // print the guest's output
  bool foreign_program = false;        // the user's own: compare what it touches with other configurations
  std::uint64_t seed = 0;              // of the operands, for provenance
  bool energy = false;                 // measure energy
  bool lines = false;                  // and charge it to lines of the program
  bool annotate = false;               // and print them
  energy::AnnotateOptions annotation;
  std::vector<std::string> checks;     // "hazards"
  trace::TraceOptions trace;
  bool profiles = false;               // find out where issue slots spend their time
  std::string profile;                 // folder for that; empty: none
  profile::TextOptions profile_table;
  std::string activity;                // file for the counts of events; .json or action counts in YAML
  std::optional<unsigned short> gdb_port;  // a debugger drives the run; 0: any free port
  std::vector<std::string> command_line;

  /// A report shows energy and hot lines as well.
  bool shows_energy() const { return energy || lines || annotate || !report.empty(); }
  bool counts_lines() const { return lines || annotate || !report.empty(); }
};

/// What a command knows about a run beyond the machine's own counts.
struct RunFigures {
  std::optional<double> utilisation;  // 0..1 of the unit's multiply-adds
  std::optional<bool> verified;       // against a reference
  nlohmann::ordered_json details = nlohmann::ordered_json::object();  // design, size ...
};

/// One run from configuration to results: reads everything the user gave (and complains about it before
/// the first cycle), builds the machine, fills memory, runs, saves memory, writes the results.
class Job {
 public:
  /// Throws ConfigError and UserError.
  Job(const JobOptions& options, const std::filesystem::path& configs_dir);

  const soc::SocParams& params() const { return params_; }
  const loader::SourceMap& sources() const { return sources_; }
  bool fast() const { return session_->fast(); }
  /// The machine of the cycle mode; only there.
  soc::Soc& soc() { return session_->soc(); }

  /// Host access to guest memory before and after the run; throws UserError outside memory.
  void write(std::uint64_t address, const void* from, std::uint64_t bytes);
  void read(std::uint64_t address, void* to, std::uint64_t bytes);

  /// Gives a piece of memory a name, for reports.
  void name_buffer(const std::string& name, std::uint64_t address, std::uint64_t bytes);

  /// Runs to the end with a progress line on a terminal, prints reports of faults and hangs, then saves the
  /// memory the user asked for.
  const Outcome& run();

  /// Writes stats.json, config.yaml and console.txt into the output folder, and the report, when they are
  /// wanted.
  void write_results(const RunFigures& figures);

  /// Energy of the run; null unless it was asked for.
  const energy::EnergyReport* energy() const { return energy_.get(); }
  /// Where issue slots spent their time; null unless it was asked for.
  const profile::Profile* profile() const { return profile_.get(); }
  const loader::Program& program() const { return program_; }
  const JobOptions& options() const { return options_; }

  /// Warp and lane instructions over all cores.
  std::uint64_t warp_instructions() const { return session_->machine().warp_instructions(); }
  std::uint64_t thread_instructions() const { return session_->machine().lane_instructions(); }

 private:
  void print_problems();
  void check_mode() const;
  soc::Machine& machine() { return session_->machine(); }
  const protocol::AddressMap& map() { return machine().map(); }
  Outcome run_under_gdb();
  void finish_checks();
  bool wants_results() const { return !options_.out.empty() || !options_.report.empty(); }
  std::string effective_config() const;
  nlohmann::ordered_json results(const RunFigures& figures, const std::string& config_text);
  nlohmann::ordered_json fast_results(const RunFigures& figures, const std::string& config_text);
  void add_common_results(nlohmann::ordered_json& document, const RunFigures& figures) const;
  std::string report_name(const RunFigures& figures) const;
  void write_text(const std::string& name, const std::string& text) const;
  void write_activity() const;
  void watch_traces();
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
  std::unique_ptr<trace::Tracer> tracer_;  // null when no traces are wanted
  std::unique_ptr<profile::Profiler> profiler_;
  std::unique_ptr<profile::Profile> profile_;
  std::unique_ptr<Timeline> timeline_;  // null when no results are wanted
  std::vector<loader::SaveImage> saves_;
  std::vector<loader::MemoryRange> filled_;  // before the run
  Outcome outcome_;
  nlohmann::ordered_json hang_;  // null when the program did not hang
};

}  // namespace spica::run
