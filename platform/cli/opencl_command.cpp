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
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "platform/base/input/temporary_folder.h"
#include "platform/base/input/user_error.h"
#include "platform/base/text/number_format.h"
#include "platform/cli/commands.h"
#include "platform/cli/paths.h"
#include "platform/observe/report/text_table.h"
#include "platform/opencl/service/compile_service.h"
#include "platform/run/signals.h"

namespace spica::cli {

namespace fs = std::filesystem;

namespace {

struct OpenClOptions {
  std::vector<std::string> words;  // the program and its arguments
  std::string configuration = "virgo", mode = "cycle";
  std::vector<std::string> settings, checks;
};

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

/// Runs the program; Ctrl-C reaches it, and ends it as it likes.
int run_program(const std::vector<std::string>& words) {
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
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// Sums over the launches of a kernel.
struct KernelSums {
  std::uint64_t launches = 0, cycles = 0, ns = 0;
};

/// Reads what the driver wrote (platform/opencl/driver/launch_record.h).
std::map<std::string, KernelSums> sums_of(const fs::path& record) {
  std::map<std::string, KernelSums> sums;
  std::ifstream lines(record);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kernel, global, local;
    std::uint64_t cycles = 0, begin = 0, end = 0;
    if (!(words >> kernel >> global >> local >> cycles >> begin >> end)) continue;
    KernelSums& sum = sums[kernel];
    ++sum.launches;
    sum.cycles += cycles;
    sum.ns += end - begin;
  }
  return sums;
}

std::string table_of(const std::map<std::string, KernelSums>& sums) {
  using Row = std::pair<std::string, KernelSums>;
  std::vector<Row> rows(sums.begin(), sums.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.second.cycles > b.second.cycles; });
  using report::TextTable;
  TextTable table({{"kernel"},
                   {"launches", TextTable::Align::kRight},
                   {"cycles", TextTable::Align::kRight},
                   {"ns", TextTable::Align::kRight}});
  for (const auto& [kernel, sum] : rows)
    table.add({kernel, text::grouped(sum.launches), text::grouped(sum.cycles), text::grouped(sum.ns)});
  return table.text();
}

/// What the checks of all machines have found; "": nothing. Throws UserError where a machine has not ended.
std::string findings_in(const fs::path& file) {
  std::ifstream stream(file);
  if (!stream)
    throw input::UserError(
        "opencl: the checks have not been finished, because the program was ended by force");
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

int run_opencl_command(const OpenClOptions& options) {
  if (options.words.empty()) throw input::UserError("opencl: name a program: spica opencl PROGRAM ARGUMENTS");
  const input::TemporaryFolder folder((fs::temp_directory_path() / "spica-opencl").string());
  if (!folder.problem().empty()) throw input::UserError("opencl: no temporary folder: " + folder.problem());
  const fs::path record = folder.path() / "launches", findings = folder.path() / "findings";
  set("OCL_ICD_VENDORS", driver_file().string());
  set("SPICA_PROGRAM", program_file().string());
  set("SPICA_OPENCL", device_text(options));
  set("SPICA_OPENCL_RECORD", record.string());
  set("SPICA_OPENCL_FINDINGS", findings.string());
  const int code = run_program(options.words);
  const std::map<std::string, KernelSums> sums = sums_of(record);
  if (!sums.empty()) fmt::print("\n{}", table_of(sums));
  if (options.checks.empty() || sums.empty()) return code;
  const std::string found = findings_in(findings);
  fmt::print("\n{}", found.empty() ? "The checks have found nothing.\n" : found);
  return code == 0 && !found.empty() ? 1 : code;
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
