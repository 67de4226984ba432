// SPDX-License-Identifier: Apache-2.0
// A command for each kind of workload (spica gemm, run ...), and those that show something else of a run of `spica
// run`: debug, annotate, profile. All runs are one flow.
#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "platform/base/config/option_name.h"
#include "platform/base/config/source.h"
#include "platform/base/input/user_error.h"
#include "platform/cli/commands.h"
#include "platform/cli/described_options.h"
#include "platform/cli/paths.h"
#include "platform/cli/plugin_option.h"
#include "platform/observe/profile/profile_text.h"
#include "platform/observe/report/provenance.h"
#include "platform/run/fidelity.h"
#include "platform/run/job.h"
#include "platform/run/measurements.h"
#include "platform/run/result_files.h"
#include "platform/run/results.h"
#include "platform/workloads/figures.h"
#include "platform/workloads/run_request.h"
#include "platform/workloads/summary_text.h"
#include "platform/workloads/workload.h"

namespace spica::cli {

namespace {

/// What a command shows of a run that is over.
using Show =
    std::function<void(job::Job& job, const job::JobOutcome& outcome, const workloads::Figures& figures)>;

/// What a command was asked for.
struct Asked {
  explicit Asked(const workloads::Kind& one) : kind(one), workload(one.make(places())) {}

  const workloads::Kind& kind;
  std::unique_ptr<workloads::Workload> workload;
  job::JobOptions job;
};

/// `results`: of the run, null if they were not requested.
void print_fidelity(job::Job& job, const json::Value& results, const job::RunFigures& figures) {
  const auto section = results.find("fidelity");
  fmt::print("{}", job::fidelity_text(section != results.end() ? *section
                                                               : job::fidelity_json(job.facts(), figures)));
}

int run(Asked& asked, const std::vector<std::string>& command_line, const Show& show) {
  job::JobOptions options = asked.job;
  options.workload = asked.kind.name;
  options.command_line = command_line;
  options.show_console = options.foreign_program = asked.kind.is_own;
  options.find_program = [](const std::string& given) { return places().program(given); };
  options.own_overrides = options.overrides;
  job::use_parameters(options);
  if (auto* const host = dynamic_cast<workloads::HostWorkload*>(asked.workload.get()))
    return host->run(options);
  auto& workload = dynamic_cast<workloads::MachineWorkload&>(*asked.workload);
  workload.choose(options);
  auto owned = std::make_unique<job::Job>(options, configs_dir());
  job::Job& job = *owned;
  workload.prepare(job);
  const job::JobOutcome& outcome = job.run();
  // A sample that says nothing has no results either.
  if (outcome.good() && !options.sample.empty() && job.facts().measurements.sample() == nullptr)
    return job.host_errors().exit_code(0);
  if (outcome.good() && !outcome.is_projected)
    job.host_errors().attempt([&] { workload.check(job, outcome); });
  workloads::Figures figures;
  job.host_errors().attempt([&] { figures = workload.figures(job, outcome); });
  std::cerr << figures.problems;
  if (outcome.is_projected) figures.run.verified.reset();
  const json::Value results = job::write_results(job.facts(), figures.run, job.host_errors());
  if (!options.quiet) job.host_errors().attempt([&] { show(job, outcome, figures); });
  if (options.fidelity) job.host_errors().attempt([&] { print_fidelity(job, results, figures.run); });
  for (const std::string& line : figures.wrong) std::cerr << "WRONG RESULT: " << line << "\n";
  const bool is_right = figures.run.verified.value_or(asked.kind.is_own || outcome.is_projected);
  // What the kernel of a computation returns means nothing to its user.
  const int code = asked.kind.is_own ? outcome.exit_code() : !outcome.clean();
  static const job::Job* whole = nullptr;
  whole = owned.release();  // the process ends: to take a whole chip apart would be a fifth of a short run
  return job.host_errors().exit_code(code == 0 && !is_right ? 1 : code);
}

void show_summary(job::Job& job, const job::JobOutcome& outcome, const workloads::Figures& figures) {
  workloads::print_summary(job, outcome, figures.summary, root());
  fmt::print("{}", figures.tables);
}

/// Options of a run that this kind refuses, with the reason.
void add_refused(Command& command, const workloads::SupportedOptions& supported) {
  for (const auto& [option, reason] : supported.refused) {
    const std::string name = config::option_name(std::string(option));
    const std::string text = fmt::format("{}: {}", name, reason);
    command.option_calls<std::string>(
        name, [text](const std::string&) { throw input::UserError(text); },
        fmt::format("refused: {}", reason));
  }
}

/// The host program and its arguments, as options.
void use_host_words(workloads::Workload& workload, const workloads::Kind& kind,
                    const std::vector<std::string>& words) {
  if (words.empty())
    throw input::UserError(fmt::format("{0}: name a program: spica {0} PROGRAM ARGUMENTS", kind.name));
  workloads::set_option(workload, kind.words[0], words[0]);
  workloads::set_option(workload, kind.words[1], report::shell_text({words.begin() + 1, words.end()}));
}

/// Options that all of them have. `job`: what is so without being asked for; `hidden`: those that would do nothing.
std::shared_ptr<Asked> add_options(Command& command, const workloads::Kind& kind,
                                   const job::JobOptions& job = {},
                                   const std::vector<std::string_view>& hidden = {}) {
  const auto asked = std::make_shared<Asked>(kind);
  asked->job = job;
  std::vector<std::string_view> words = kind.words, left_out = hidden;
  if (kind.is_hosted) left_out.swap(words);
  for (const config::Field& group : workloads::options_of_run(kind, *asked->workload, asked->job)) {
    command.group(group.name);
    if (group.name == job::kMachineOptions) add_plugin_option(command);
    add_described(command, group, words, left_out);
  }
  if (!kind.is_own || kind.is_hosted) command.find("--config").group(job::kMachineOptions);
  if (kind.supported != nullptr) add_refused(command, *kind.supported);
  return asked;
}

void options_of_kind(Command& command, const workloads::Kind& kind) {
  const auto asked = add_options(command, kind);
  const auto host_words = std::make_shared<std::vector<std::string>>();
  if (kind.is_hosted) command.program(*host_words);
  command.action([asked, host_words](const std::vector<std::string>& words) {
    if (asked->kind.is_hosted) use_host_words(*asked->workload, asked->kind, *host_words);
    else note_earlier_names(asked->workload->options(), words);
    if (const auto text = asked->workload->listing()) {
      fmt::print("{}", *text);
      return 0;
    }
    return run(*asked, words, show_summary);
  });
}

void options_of_debug(Command& command) {
  const auto asked = add_options(command, workloads::kind("run"), {}, {"annotate", "disassembly", "top"});
  command.find("--gdb").description("PORT: port of 127.0.0.1 to wait on (default: any free one)");
  command.action([asked](const std::vector<std::string>& words) {
    if (!asked->job.gdb_port) asked->job.gdb_port = 0;
    return run(*asked, words, show_summary);
  });
}

void options_of_annotate(Command& command) {
  job::JobOptions job;
  job.annotate = true;
  const auto asked = add_options(command, workloads::kind("run"), job, {"quiet"});
  command.action([asked](const std::vector<std::string>& words) {
    return run(*asked, words,
               [](const job::Job& done, auto&&...) { workloads::print_annotation(done, root()); });
  });
}

void options_of_profile(Command& command) {
  const auto asked =
      add_options(command, workloads::kind("run"), {}, {"annotate", "disassembly", "top", "quiet"});
  command.group(job::kResultOptions);
  add_described(command, config::describe(asked->job.profile_table));
  command.action([asked](const std::vector<std::string>& words) {
    asked->job.profiles = true;
    asked->job.profile_table.root = root();
    return run(*asked, words, [](const job::Job& job, auto&&...) {
      if (job.profile() != nullptr)
        fmt::print("\n{}", profile::profile_text(*job.profile(), job.options().profile_table));
    });
  });
}

void options_of_job(Command& command) {
  const auto file = std::make_shared<std::string>();
  command.option("FILE", *file, "YAML or JSON file (docs/reference/job.md)").required();
  add_plugin_option(command);
  command.action([file](const std::vector<std::string>&) {
    config::Source source = config::load(*file, {}, configs_dir(), workloads::kRunFiles);
    const workloads::RunRequest request = workloads::read_request(source);
    Asked asked(*request.kind);
    workloads::use_request(source, request, *asked.workload, asked.job);
    std::vector<std::string> words = workloads::command_line(request);
    words.insert(words.begin(), "spica");
    return run(asked, words, show_summary);
  });
}

}  // namespace

void add_job_command(CommandLine& line) {
  line.add("job", "run a job from a file: the kind of run and its options, as data", options_of_job);
}

void add_workload_commands(CommandLine& line) {
  for (const workloads::Kind& kind : workloads::kinds())
    line.add(std::string(kind.name), std::string(kind.title),
             [&kind](Command& command) { options_of_kind(command, kind); });
}

void add_debug_command(CommandLine& line) {
  line.add("debug", "run an ELF program under gdb: breakpoints, steps, registers of every warp and lane",
           options_of_debug);
}

void add_annotate_command(CommandLine& line) {
  line.add("annotate", "run a program and show where its cycles and its energy went, line by line",
           options_of_annotate);
}

void add_profile_command(CommandLine& line) {
  line.add("profile",
           "run a program and show its hot functions, lines or instructions, and what they wait for",
           options_of_profile);
}

}  // namespace spica::cli
