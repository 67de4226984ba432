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

// The user's options, as on the command line. Each group declares its options (config::describe()); command line, sweep
// axes and point keys are derived from these declarations.

/// The machine of a run.
struct MachineOptions {
  std::vector<std::string> overrides;  // parameters as KEY=VALUE
  std::vector<std::string> own_overrides;  // those that the user gave; reported if they have no effect
  std::string divergence, mode;  // empty: as in the configuration

  static constexpr config::Link kParameters[] = {{"divergence", soc::keys::kDivergence},
                                                 {"mode", "run.mode"}};

  template <class Self, class Visit>
  static void describe(Self& o, Visit&& field);
};

/// Checks, traces and debugging of a run.
struct DebugOptions {
  std::vector<std::string> checks;  // "hazards", "memory"
  std::vector<std::string> suppressions;  // files, see check/suppressions.h
  std::optional<unsigned short> gdb_port;  // a debugger controls the run; 0: any free port
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

/// The results of the whole run for a file of records, see record.h.
struct RecordOptions {
  static constexpr const char *kObject = "object", *kRow = "row";

  std::string file;  // to which they are appended; empty: none
  std::string form;  // empty: kObject
  std::vector<std::string> keep;  // additional values; of a row its values
};

/// Measurements, and the destination of results.
struct ResultOptions {
  bool energy = false;
  bool area = false;
  bool only_used = false;
  std::string power, power_window;  // empty: as in the configuration
  std::string activity;  // file for event counts: .json, or action counts in YAML
  std::string accelergy;  // folder for the machine and its counts as Accelergy files; empty: none
  bool lines = false;  // attribute energy to lines of the program
  std::string profile;  // folder for the profile of issue slots; empty: none
  std::string memory;  // file for the memory contents after the run; empty: none
  std::string out;  // folder for results; empty: none
  RecordOptions record;
  std::string report;  // HTML file; empty: none
  bool fidelity = false;  // print on what the results rest
  bool annotate = false;  // print lines with their energy
  energy::AnnotateOptions annotation;
  bool quiet = false;  // no summary

  static constexpr std::string_view kFiles[] = {"power", "activity", "save_memory", "record", "report"};
  static constexpr std::string_view kMeasures[] = {"energy", "area"};
  static constexpr std::string_view kOutputs[] = {
      "power_window", "activity", "accelergy", "lines",    "profile",  "out",         "save_memory", "record",
      "record_form",  "keep",     "report",    "fidelity", "annotate", "disassembly", "top",         "quiet"};
  static constexpr config::Link kLetters[] = {{"quiet", "q"}};
  static constexpr config::Link kParameters[] = {
      {"only_used", "power.only_used"}, {"power", "power.table"}, {"power_window", "power.window"}};
  static constexpr config::Link kNeeds[] = {{"only_used", "energy power report"},
                                            {"power_window", "out report"},
                                            {"power_window", "energy power lines report annotate"},
                                            {"lines", "out report"},
                                            {"record_form", "record"},
                                            {"keep", "record"},
                                            {"disassembly", "annotate"},
                                            {"top", "annotate"}};

  template <class Self, class Visit>
  static void describe(Self& o, Visit&& field);
};

/// Memory contents loaded before and saved after a run.
struct MemoryOptions {
  std::vector<std::string> loads;  // FILE@ADDRESS
  std::vector<std::string> saves;  // FILE@ADDRESS+BYTES

  static constexpr std::string_view kOutputs[] = {"save"};

  template <class Self, class Visit>
  static void describe(Self& o, Visit&& field);
};

/// Checkpoints that a run writes, and the one that it resumes from.
struct CheckpointOptions {
  std::string checkpoint;  // every=N[,warm]; empty: no checkpoints
  std::string checkpoint_folder;
  std::string from;  // checkpoint to resume from; empty: none

  static constexpr std::string_view kFiles[] = {"from"};
  static constexpr std::string_view kOutputs[] = {"checkpoint", "checkpoint_dir"};
  static constexpr config::Link kNeeds[] = {{"checkpoint", "checkpoint_dir"},
                                            {"checkpoint_dir", "checkpoint"}};

  template <class Self, class Visit>
  static void describe(Self& o, Visit&& field);
};

/// A run of which only a sample is simulated.
struct SamplingOptions {
  std::string sample;  // see sample::parse_sample(); empty: all is simulated

  static constexpr std::string_view kMeasures[] = {"sample"};

  template <class Self, class Visit>
  static void describe(Self& o, Visit&& field);
};

/// All options of a run, and the choices of its workload.
struct JobOptions : MachineOptions,
                    DebugOptions,
                    ResultOptions,
                    MemoryOptions,
                    CheckpointOptions,
                    SamplingOptions {
  std::string config = "virgo";  // file, or name in configs/
  std::string elf;
  std::function<std::string(const soc::SocParams&)>
      elf_for;  // alternative to `elf`: returns the file for a machine
  std::function<std::string(const std::string&)>
      find_program;  // returns the file of a program that the machine names
  std::string samples;  // ADDRESS+COUNT: numbers left in memory by the program; empty: none
  session::GridRequest grid;  // kernel of the program to run as a grid; empty: main()
  bool grid_later = false;  // set later by Job::run_grid()
  std::string arguments;  // argument block, see loader/argument_block.h
  bool show_console = true;  // print the guest's output
  bool foreign_program =
      false;  // a user's own program: compare its memory accesses with other configurations
  std::uint64_t seed = 0;  // seed of the operands, for provenance
  bool profiles = false;  // profile the issue slots
  bool launches = false;  // account for launches of kernels even without results
  profile::TextOptions profile_table;
  std::string workload = "run";  // the name of its kind
  std::string work;  // digest of what the workload puts into memory, for checkpoints; empty: they have it
  std::vector<std::string> command_line;

  /// True if energies are shown; a report shows energy and hot lines as well.
  bool shows_energy() const { return energy || lines || annotate || !report.empty(); }
  /// True if energies are measured; they are shown together with the area.
  bool measures_energy() const { return shows_energy() || !activity.empty() || !accelergy.empty(); }
  bool shows_area() const { return area || shows_energy() || !accelergy.empty(); }
  bool wants_results() const { return !out.empty() || !report.empty() || !record.file.empty(); }
  bool wants_profile() const { return profiles || !profile.empty(); }
  bool counts_lines() const { return lines || annotate || !report.empty(); }
};

/// The options of every run: one group per heading of the help.
std::vector<config::Field> describe_options(JobOptions& options);
inline constexpr const char *kMachineOptions = "Machine", *kDebugOptions = "Debugging",
                            *kResultOptions = "Results", *kMemoryOptions = "Memory",
                            *kCheckpointOptions = "Checkpoints", *kSamplingOptions = "Sampling";

/// Converts options that are short forms of parameters into overrides.
void use_parameters(JobOptions& options);
/// The number in "every=1M" or "every=1M,warm"; 0 for an empty text. Throws UserError.
std::uint64_t checkpoint_interval(const std::string& text);

}  // namespace spica::job
