// SPDX-License-Identifier: Apache-2.0
// `spica stream FILE.yaml`: kernels in streams, with events between them.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "platform/cli/commands.h"
#include "platform/cli/job_options.h"
#include "platform/cli/paths.h"
#include "platform/cli/summary.h"
#include "platform/run/job.h"
#include "platform/run/results.h"
#include "platform/workloads/stream/stream_job.h"

namespace spica::cli {

namespace {

constexpr std::size_t kRows = 40;  // of the table that is printed

job::JobOptions with_file(job::JobOptions options, const stream::StreamFile& file) {
  options.config = file.config;
  options.overrides.insert(options.overrides.begin(), file.set.begin(), file.set.end());
  options.elf = program_path(file.program);
  options.elf_for = [name = file.program](const soc::SocParams& params) { return program_for(name, params); };
  options.loads.insert(options.loads.begin(), file.load.begin(), file.load.end());
  options.saves.insert(options.saves.begin(), file.save.begin(), file.save.end());
  options.grid_later = true;
  options.foreign_program = true;
  return options;
}

int run_streams(const std::string& path, const job::JobOptions& options, bool quiet) {
  const config::Source source = config::load(path, {}, configs_dir(), stream::kStreamFiles);
  const stream::StreamFile file = stream::stream_file_of(source);
  job::Job job(with_file(options, file), configs_dir());
  stream::StreamJob streams(job, file, source);
  const job::JobOutcome& outcome = job.run();
  if (const std::string open = streams.unfinished(); !open.empty()) std::cerr << "\nStreams\n" << open;
  std::vector<std::string> wrong;
  if (outcome.good() && outcome.guest_exit_code == 0)
    job.troubles().attempt([&] { wrong = streams.differences(); });
  job::RunFigures figures = job.own_figures();
  figures.details["streams"] = streams.figures();
  if (!file.check.empty() && outcome.good()) figures.verified = wrong.empty();
  job.write_results(figures);
  if (!quiet)
    job.troubles().attempt([&] {
      print_summary(job, outcome, {});
      fmt::print("{}", streams.table(kRows));
    });
  for (const std::string& line : wrong) std::cerr << "WRONG RESULT: " << line << "\n";
  if (wrong.empty() && !file.check.empty() && outcome.good() && !quiet)
    fmt::print("  verified: {} of {} checks\n", file.check.size(), file.check.size());
  const int code = job.troubles().exit_code(outcome.exit_code());
  return code == 0 && !wrong.empty() ? 1 : code;
}

}  // namespace

void add_stream_command(CommandLine& line) {
  line.add("stream", "run kernels in streams, several at once, with events between them",
           [](Command& command) {
             auto options = std::make_shared<job::JobOptions>();
             auto file = std::make_shared<std::string>();
             auto quiet = std::make_shared<bool>(false);
             command.option("FILE", *file, "streams of kernels, YAML (docs/howto/streams.md)").required();
             add_job_options(command, *options);
             add_memory_options(command, *options);
             command.flag("-q,--quiet", *quiet, "print the program's output only, no summary");
             command.action([=](const std::vector<std::string>& command_line) {
               options->command_line = command_line;
               return run_streams(*file, *options, *quiet);
             });
           });
}

}  // namespace spica::cli
