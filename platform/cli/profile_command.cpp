// SPDX-License-Identifier: Apache-2.0
// `spica profile CONFIG ELF`: runs a program and prints where its time went.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "platform/cli/commands.h"
#include "platform/cli/job_options.h"
#include "platform/cli/paths.h"
#include "platform/observe/profile/profile_text.h"
#include "platform/run/job.h"

namespace spica::cli {

namespace {

void options_of_profile(Command& command) {
  auto options = std::make_shared<job::JobOptions>();
  const auto program = add_program_options(command, *options);
  add_profile_options(command, *options);
  command.action([program, options](const std::vector<std::string>& command_line) {
    take_program(program->asked, *options);
    options->command_line = command_line;
    options->profiles = true;
    options->profile_table.root = root();
    job::Job job(*options, configs_dir());
    const job::JobOutcome& outcome = job.run();
    job.write_results();
    job.troubles().attempt([&] {
      if (job.profile() != nullptr)
        fmt::print("\n{}", profile::profile_text(*job.profile(), options->profile_table));
    });
    return job.troubles().exit_code(outcome.exit_code());
  });
}

}  // namespace

void add_profile_command(CommandLine& line) {
  line.add("profile",
           "run a program and show its hot functions, lines or instructions, and what they wait for",
           options_of_profile);
}

}  // namespace spica::cli
