// SPDX-License-Identifier: Apache-2.0
// `spica annotate CONFIG ELF`: runs a program and prints its source with cycles, stalls and energy per line.
#include <memory>

#include "platform/cli/commands.h"
#include "platform/cli/job_options.h"
#include "platform/cli/paths.h"
#include "platform/cli/summary.h"
#include "platform/run/job.h"

namespace spica::cli {

namespace {

void options_of_annotate(Command& command) {
  auto options = std::make_shared<job::JobOptions>();
  options->annotate = true;
  const auto program = add_program_options(command, *options);
  add_annotation_options(command, *options);
  command.action([program, options](const std::vector<std::string>& command_line) {
    take_program(program->asked, *options);
    options->command_line = command_line;
    job::Job job(*options, configs_dir());
    const job::JobOutcome& outcome = job.run();
    job.write_results();
    job.troubles().attempt([&] { print_annotation(job); });
    return job.troubles().exit_code(outcome.exit_code());
  });
}

}  // namespace

void add_annotate_command(CommandLine& line) {
  line.add("annotate", "run a program and show where its cycles and its energy went, line by line",
           options_of_annotate);
}

}  // namespace spica::cli
