// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platform/machine/session/grid.h"
#include "platform/observe/energy/energy_text.h"
#include "platform/observe/profile/profile_text.h"
#include "platform/observe/trace/trace_options.h"

namespace spica::soc {
struct SocParams;
}

namespace spica::job {

/// What the user asked for, as the command line gives it.
struct JobOptions {
  std::string config = "virgo";        // file, or name of one in configs/
  std::vector<std::string> overrides;  // KEY=VALUE
  std::string elf;
  std::function<std::string(const soc::SocParams&)> elf_for;  // instead of `elf`: the file for that machine
  std::function<std::string(const std::string&)> find_program;  // the file of one that the machine names
  std::vector<std::string> loads;  // FILE@ADDRESS
  std::vector<std::string> saves;  // FILE@ADDRESS+BYTES
  std::string samples;  // ADDRESS+COUNT: numbers that the program leaves there; empty: none
  std::string memory;  // file for all of memory after the run; empty: none
  session::GridRequest grid;  // a kernel of the program; empty: it has main()
  bool grid_later = false;  // Job::run_grid() says it
  std::string arguments;  // argument block, see loader/argument_block.h
  std::string out;  // folder for results; empty: none
  std::string report;  // HTML file; empty: none
  std::string record;  // file to append one line of results to; empty: none
  std::vector<std::string> keep;  // further values of that line, see record.h
  bool show_console = true;  // print the guest's output
  bool foreign_program = false;  // the user's own: compare what it touches with other configurations
  std::uint64_t seed = 0;  // of the operands, for provenance
  bool energy = false;  // measure energy
  bool area = false;  // estimate the machine's area
  bool lines = false;  // and charge it to lines of the program
  bool annotate = false;  // and print them
  energy::AnnotateOptions annotation;
  std::vector<std::string> checks;  // "hazards", "memory"
  std::vector<std::string> suppressions;  // files, see check/suppressions.h
  trace::TraceOptions trace;
  bool profiles = false;  // find out where issue slots spend their time
  std::string profile;  // folder for that; empty: none
  profile::TextOptions profile_table;
  std::string activity;  // file for the counts of events; .json or action counts in YAML
  std::string accelergy;  // folder for the machine and its counts as files of Accelergy; empty: none
  std::uint64_t checkpoint_every = 0;  // warp instructions; 0: no checkpoints
  std::string checkpoint_folder;
  std::string from;  // a checkpoint to resume from; empty: none
  std::optional<unsigned short> gdb_port;  // a debugger drives the run; 0: any free port
  bool only_used = false;  // the same as power.only_used
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

}  // namespace spica::job
