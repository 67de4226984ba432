// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/config/field.h"
#include "platform/machine/session/grid.h"
#include "platform/machine/soc/keys.h"
#include "platform/observe/energy/energy_text.h"
#include "platform/observe/profile/profile_text.h"
#include "platform/observe/trace/trace_options.h"

namespace spica::soc {
struct SocParams;
}

namespace spica::job {

// What the user asked for, as the command line gives it. Each group of options declares them (config::describe()): the
// command line, what points of sweeps may set, and what belongs to their keys follow from that.

/// The machine of a run.
struct MachineOptions {
  std::vector<std::string> overrides;  // KEY=VALUE
  std::string divergence, mode;  // empty: as the configuration says

  static constexpr config::Link kParameters[] = {{"divergence", soc::keys::kDivergence},
                                                 {"mode", "run.mode"}};

  template <class Self, class Visit>
  static void describe(Self& o, Visit&& field);
};

/// How a run is checked, traced or driven.
struct DebugOptions {
  std::vector<std::string> checks;  // "hazards", "memory"
  std::vector<std::string> suppressions;  // files, see check/suppressions.h
  std::optional<unsigned short> gdb_port;  // a debugger drives the run; 0: any free port
  trace::TraceOptions trace;

  static constexpr std::string_view kMeasures[] = {"check"};
  static constexpr std::string_view kOutputs[] = {"suppress",     "gdb",         "trace",
                                                  "trace_filter", "trace_limit", "trace_no_cycles"};
  static constexpr config::Link kNeeds[] = {{"suppress", "check"},
                                            {"trace_filter", "trace"},
                                            {"trace_limit", "trace"},
                                            {"trace_no_cycles", "trace"}};

  template <class Self, class Visit>
  static void describe(Self& o, Visit&& field);
};

/// What is measured, and where results go.
struct ResultOptions {
  bool energy = false;
  bool area = false;
  bool only_used = false;
  std::string power, power_window;  // empty: as the configuration says
  std::string activity;  // file for the counts of events; .json or action counts in YAML
  std::string accelergy;  // folder for the machine and its counts as files of Accelergy; empty: none
  bool lines = false;  // charge energy to lines of the program
  std::string profile;  // folder for where issue slots spend their time; empty: none
  std::string memory;  // file for all of memory after the run; empty: none
  std::string out;  // folder for results; empty: none
  std::string record;  // file to append one line of results to; empty: none
  std::vector<std::string> keep;  // further values of that line, see record.h
  std::string report;  // HTML file; empty: none
  bool annotate = false;  // print lines with their energy
  energy::AnnotateOptions annotation;
  bool quiet = false;  // no summary

  static constexpr std::string_view kFiles[] = {"power", "activity", "save_memory", "record", "report"};
  static constexpr std::string_view kMeasures[] = {"energy", "area"};
  static constexpr std::string_view kOutputs[] = {
      "power_window", "activity", "accelergy", "lines",    "profile",     "out", "save_memory",
      "record",       "keep",     "report",    "annotate", "disassembly", "top", "quiet"};
  static constexpr config::Link kLetters[] = {{"quiet", "q"}};
  static constexpr config::Link kParameters[] = {
      {"only_used", "power.only_used"}, {"power", "power.table"}, {"power_window", "power.window"}};
  static constexpr config::Link kNeeds[] = {{"only_used", "energy power report"},
                                            {"power_window", "out report"},
                                            {"power_window", "energy power lines report annotate"},
                                            {"lines", "out report"},
                                            {"keep", "record"},
                                            {"disassembly", "annotate"},
                                            {"top", "annotate"}};

  template <class Self, class Visit>
  static void describe(Self& o, Visit&& field);
};

/// What is put into memory before a run and taken out after it, and checkpoints.
struct MemoryOptions {
  std::vector<std::string> loads;  // FILE@ADDRESS
  std::vector<std::string> saves;  // FILE@ADDRESS+BYTES
  std::string checkpoint;  // every=N; empty: no checkpoints
  std::string checkpoint_folder;
  std::string from;  // a checkpoint to resume from; empty: none

  static constexpr std::string_view kFiles[] = {"from"};
  static constexpr std::string_view kOutputs[] = {"save", "checkpoint", "checkpoint_dir"};
  static constexpr config::Link kNeeds[] = {{"checkpoint", "checkpoint_dir"},
                                            {"checkpoint_dir", "checkpoint"}};

  template <class Self, class Visit>
  static void describe(Self& o, Visit&& field);
};

/// What a run is asked for: the options of every run, and what its workload chooses.
struct JobOptions : MachineOptions, DebugOptions, ResultOptions, MemoryOptions {
  std::string config = "virgo";  // file, or name of one in configs/
  std::string elf;
  std::function<std::string(const soc::SocParams&)> elf_for;  // instead of `elf`: the file for that machine
  std::function<std::string(const std::string&)> find_program;  // the file of one that the machine names
  std::string samples;  // ADDRESS+COUNT: numbers that the program leaves there; empty: none
  session::GridRequest grid;  // a kernel of the program; empty: it has main()
  bool grid_later = false;  // Job::run_grid() says it
  std::string arguments;  // argument block, see loader/argument_block.h
  bool show_console = true;  // print the guest's output
  bool foreign_program = false;  // the user's own: compare what it touches with other configurations
  std::uint64_t seed = 0;  // of the operands, for provenance
  bool profiles = false;  // find out where issue slots spend their time
  profile::TextOptions profile_table;
  std::vector<std::string> command_line;

  /// A report shows energy and hot lines as well.
  bool shows_energy() const { return energy || lines || annotate || !report.empty(); }
  /// Energies are shown together with the area.
  bool measures_energy() const { return shows_energy() || !activity.empty() || !accelergy.empty(); }
  bool shows_area() const { return area || shows_energy() || !accelergy.empty(); }
  bool wants_results() const { return !out.empty() || !report.empty() || !record.empty(); }
  bool wants_profile() const { return profiles || !profile.empty(); }
  bool counts_lines() const { return lines || annotate || !report.empty(); }
};

/// The options that every run has: a group for each heading of the help.
std::vector<config::Field> describe_options(JobOptions& options);
inline constexpr const char *kMachineOptions = "Machine", *kDebugOptions = "Debugging",
                            *kResultOptions = "Results", *kMemoryOptions = "Memory and checkpoints";

/// Options that are short for parameters become overrides.
void use_parameters(JobOptions& options);
/// The number of "every=1M"; 0 of an empty text. Throws UserError.
std::uint64_t checkpoint_interval(const std::string& text);

}  // namespace spica::job
