// SPDX-License-Identifier: Apache-2.0
// `spica run CONFIG ELF`: any bare-metal program on any configuration; `spica debug`: the same under gdb.
#include <memory>

#include "platform/cli/commands.h"
#include "platform/cli/job_options.h"
#include "platform/cli/paths.h"
#include "platform/cli/summary.h"
#include "platform/run/job.h"

namespace spica::cli {

namespace {

int run_program(const job::JobOptions& options, bool quiet) {
  job::Job job(options, configs_dir());
  const job::JobOutcome& outcome = job.run();
  job.write_results();
  if (!quiet) job.troubles().attempt([&] { print_summary(job, outcome, {}); });
  return job.troubles().exit_code(outcome.exit_code());
}

/// `run` and `debug` differ in whether gdb drives the run by default.
void options_of_run(Command& command, bool with_gdb) {
  auto options = std::make_shared<job::JobOptions>();
  auto quiet = std::make_shared<bool>(false);
  const auto program = add_program_options(command, *options);
  if (with_gdb)
    command.find("--gdb").description("PORT: the port of 127.0.0.1 to wait on (default: any free one)");
  command.flag("-q,--quiet", *quiet, "print the program's output only, no summary");
  command.action([program, options, quiet, with_gdb](const std::vector<std::string>& command_line) {
    take_program(program->asked, *options);
    options->command_line = command_line;
    options->foreign_program = true;
    if (with_gdb && !options->gdb_port) options->gdb_port = 0;
    return run_program(*options, *quiet);
  });
}

}  // namespace

void add_run_command(CommandLine& line) {
  line.add("run", "run an ELF program on a configuration",
           [](Command& command) { options_of_run(command, false); });
}

void add_debug_command(CommandLine& line) {
  line.add("debug", "run an ELF program under gdb: breakpoints, steps, registers of every warp and lane",
           [](Command& command) { options_of_run(command, true); });
}

}  // namespace spica::cli
