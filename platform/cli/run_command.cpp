// SPDX-License-Identifier: Apache-2.0
// `spica run CONFIG ELF`: any bare-metal program on any configuration.
#include <memory>

#include "platform/cli/commands.h"
#include "platform/cli/job_options.h"
#include "platform/cli/paths.h"
#include "platform/cli/summary.h"

namespace spica::cli {

namespace {

int run_program(run::JobOptions options, bool quiet) {
  run::Job job(options, configs_dir());
  const run::Outcome& outcome = job.run();
  job.write_results({});
  if (!quiet) print_summary(job, outcome, {});
  return outcome.exit_code();
}

}  // namespace

void add_run_command(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<run::JobOptions>();
  auto quiet = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("run", "run an ELF program on a configuration");
  command->add_option("CONFIG", options->config, "configuration file, or name of one in configs/")->required();
  command->add_option("ELF", options->elf, "RISC-V program (rv32imaf, bare metal)")->required();
  add_job_options(*command, *options);
  add_memory_options(*command, *options);
  command->add_flag("-q,--quiet", *quiet, "print the program's output only, no summary");
  command->callback([options, quiet, &chosen] {
    options->foreign_program = true;
    chosen = [options, quiet](const std::vector<std::string>& command_line) {
      options->command_line = command_line;
      return run_program(*options, *quiet);
    };
  });
}

}  // namespace spica::cli
