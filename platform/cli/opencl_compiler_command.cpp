// SPDX-License-Identifier: Apache-2.0
// `spica opencl`: runs an OpenCL program on a machine. `spica opencl-compiler`: the compiler of the OpenCL
// driver.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "platform/base/input/file.h"
#include "platform/base/input/regular_file.h"
#include "platform/base/input/temporary_folder.h"
#include "platform/base/input/user_error.h"
#include "platform/base/json/value.h"
#include "platform/cli/commands.h"
#include "platform/cli/opencl_results.h"
#include "platform/cli/paths.h"
#include "platform/observe/report/html_report.h"
#include "platform/observe/report/statistics.h"
#include "platform/opencl/service/compile_service.h"
#include "platform/run/files.h"
#include "platform/run/signals.h"

namespace spica::cli {

namespace fs = std::filesystem;

namespace {

struct OpenClOptions {
  std::vector<std::string> words;  // the program and its arguments
  std::string configuration = "virgo", mode = "cycle";
  std::vector<std::string> settings, checks, traces;
  std::string out, report;
  bool energy = false, gdb = false;
  std::uint64_t launch = 1;
};

/// Options of a run that a run of an OpenCL program does not have, and why.
constexpr std::pair<const char*, const char*> kRefused[] = {
    {"--checkpoint", "a checkpoint has the machine, not the host program"},
    {"--checkpoint-dir", "a checkpoint has the machine, not the host program"},
    {"--from", "a checkpoint has the machine, not the host program"},
    {"--profile",
     "programs come and go, so addresses do not name instructions; --report shows where time went"}};

/// A word of SPICA_OPENCL, whose separators are commas and colons.
std::string escaped(const std::string& text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == ',' || letter == ':' || letter == '\\') safe += '\\';
    safe += letter;
  }
  return safe;
}

std::string device_text(const OpenClOptions& options) {
  std::error_code ignored;
  const std::string& given =
      options.configuration;  // a file may be relative, and the program change its folder
  std::string text = escaped(fs::is_regular_file(given, ignored) ? fs::absolute(given).string() : given);
  text += ":mode=" + options.mode;
  for (const std::string& setting : options.settings) text += ":set=" + escaped(setting);
  for (const std::string& check : options.checks) text += ":check=" + check;
  const auto path = [](const std::string& name) { return escaped(fs::absolute(name).string()); };
  for (const std::string& trace : options.traces) text += ":trace=" + path(trace);
  if (options.energy) text += ":energy";
  if (!options.out.empty()) text += ":out=" + path(options.out);
  if (!options.report.empty()) text += ":report=" + path(options.report);
  if (options.gdb) text += fmt::format(":gdb={}", options.launch);
  return text;
}

/// The driver of this installation. Throws UserError.
fs::path driver_file() {
  const fs::path name = "libspica-opencl.so.1", here = program_file().parent_path();
  for (const fs::path& folder :
       {cmake_prefix() / "opencl", (here / SPICA_LIBRARIES_FROM_PROGRAM).lexically_normal()}) {
    std::error_code ignored;
    if (fs::exists(folder / name, ignored)) return folder / name;
  }
  throw input::UserError(
      "opencl: this Spica has no OpenCL driver (libspica-opencl.so.1): its build found no CL/cl_icd.h");
}

void set(const char* name, const std::string& value) {
  setenv(name, value.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): before the first thread
}

/// How the host program ended.
struct HostEnd {
  int code = 0;  // of the command
  int signal = 0;  // 0: none
  /// Why the driver could not finish.
  std::string text() const {
    return signal != 0
               ? fmt::format("the program was ended by signal {} ({})", signal, sigabbrev_np(signal))
               : fmt::format("the program ended with code {} without its exit handlers (_exit, quick_exit)",
                             code);
  }
};

/// Runs the program; Ctrl-C reaches it, and ends it as it likes.
HostEnd run_program(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  sigset_t usual;
  sigemptyset(&usual);
  for (const int signal : {SIGINT, SIGPIPE, SIGXFSZ}) sigaddset(&usual, signal);
  posix_spawnattr_setsigdefault(&how, &usual);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF);
  pid_t process = -1;
  std::signal(SIGINT, SIG_IGN);
  const int error = posix_spawnp(&process, arguments[0], nullptr, &how, arguments.data(), environ);
  posix_spawnattr_destroy(&how);
  if (error != 0) throw input::UserError("cannot start '" + words[0] + "': " + std::strerror(error));
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR)
    if (const int signal = job::Interrupt::signal(); signal != 0) kill(process, signal);
  if (WIFSIGNALED(status)) return {128 + WTERMSIG(status), WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

/// What the checks of all machines have found; "": nothing.
std::string findings_in(const fs::path& file) {
  const std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// Before the program runs, which may take long.
void check_options(const OpenClOptions& options) {
  if (options.words.empty()) throw input::UserError("opencl: name a program: spica opencl PROGRAM ARGUMENTS");
  if (options.mode == "fast" && (options.energy || !options.report.empty()))
    throw input::UserError(
        fmt::format("{}{}{}: needs the cycle mode; the fast mode (--mode fast) has no timing",
                    options.energy ? "--energy" : "", options.energy && !options.report.empty() ? ", " : "",
                    options.report.empty() ? "" : "--report"));
  if (!options.report.empty()) report::check_html_report(options.report);
  for (const std::string& file : options.traces) input::check_output(file);
  job::make_folder(options.out);
}

void write_results(const OpenClOptions& options, const OpenClResults& results, int code) {
  json::Value document{{"schema", "spica-opencl-1"}, {"exit_code", code}};
  document.update(results.json());
  input::write_text((fs::path(options.out) / "opencl.json").string(), report::json_text(document));
}

int run_opencl_command(const OpenClOptions& options) {
  check_options(options);
  const input::TemporaryFolder folder((fs::temp_directory_path() / "spica-opencl").string());
  if (!folder.problem().empty()) throw input::UserError("opencl: no temporary folder: " + folder.problem());
  const fs::path record = folder.path() / "record", findings = folder.path() / "findings";
  set("OCL_ICD_VENDORS", driver_file().string());
  set("SPICA_PROGRAM", program_file().string());
  set("SPICA_OPENCL", device_text(options));
  set("SPICA_OPENCL_RECORD", record.string());
  set("SPICA_OPENCL_FINDINGS", findings.string());
  set("SPICA_OPENCL_RESULTS", folder.path().string());
  const HostEnd end = run_program(options.words);
  const std::string found = findings_in(findings);
  const OpenClResults results(folder.path(), record, found);
  if (!results.empty()) fmt::print("\n{}", results.table());
  if (!options.out.empty()) write_results(options, results, end.code);
  if (results.empty()) return end.code;
  if (results.is_cut())
    fmt::print(stderr, "opencl: {}, so only launches, cycles and times are known\n", end.text());
  if (options.checks.empty()) return end.code;
  if (!fs::exists(findings))
    throw input::UserError(fmt::format("opencl: the checks have not been finished: {}", end.text()));
  fmt::print("\n{}", found.empty() ? "The checks have found nothing.\n" : found);
  return end.code == 0 && !found.empty() ? 1 : end.code;
}

void options_of_opencl(Command& command) {
  auto options = std::make_shared<OpenClOptions>();
  command.program(options->words);
  command.option("--config", options->configuration, "configuration of the device, a file or a name")
      .shows_default();
  command
      .option("--set", options->settings,
              "KEY=VALUE: override one parameter, may be repeated (spica config --list)")
      .repeats();
  command.option("--mode", options->mode, "cycle: timed; fast: the same results with estimated cycles")
      .one_of({"cycle", "fast"})
      .shows_default();
  command
      .option("--check", options->checks,
              "checks of all kernels, may be repeated; exit code 1 with findings (docs/checks.md)")
      .one_of({"hazards", "memory"})
      .repeats();
  command
      .option("--trace", options->traces,
              "FILE of a trace, by its ending .json, .log, .vcd or .kanata; may be repeated")
      .repeats();
  command.flag("--energy", options->energy,
               "measure energy: a column of the table, and energy.json with --out");
  command.option("--out", options->out,
                 "DIR: write opencl.json with the table, and stats.json of the machine");
  command.option("--report", options->report, "FILE: write a page with charts (HTML)");
  command.flag("--gdb", options->gdb, "wait for gdb at the launch of a kernel, the first one or --launch");
  command.option("--launch", options->launch, "N: number of the launch for --gdb, from 1")
      .only_with({"--gdb"});
  for (const auto& [name, reason] : kRefused)
    command.option_calls<std::string>(
        name,
        [name, reason](const std::string&) { throw input::UserError(fmt::format("{}: {}", name, reason)); },
        fmt::format("refused: {}", reason));
  command.action([options](const std::vector<std::string>&) { return run_opencl_command(*options); });
}

int serve_opencl_compiler() {
  int kind = 0;
  socklen_t size = sizeof kind;
  if (getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &kind, &size) != 0)
    throw input::UserError(
        "opencl-compiler: standard input is not a socket; the OpenCL driver starts this command");
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // the thread that waits for the build
  opencl::serve_compiler(STDIN_FILENO, kernel_home());
  return 0;
}

}  // namespace

void add_opencl_command(CommandLine& line) {
  line.add("opencl",
           "run an OpenCL program on a machine: spica opencl PROGRAM ARGUMENTS\n"
           "Prints launches, cycles and simulated time of each kernel at the end.",
           options_of_opencl);
  line.add("opencl-compiler", "internal command, started by the OpenCL driver", [](Command& command) {
    command.action([](const std::vector<std::string>&) { return serve_opencl_compiler(); });
  });
}

}  // namespace spica::cli
