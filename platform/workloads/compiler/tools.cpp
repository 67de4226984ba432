// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/tools.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iterator>
#include <sstream>
#include <string_view>

#include "platform/base/input/file.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"

namespace spica::compiler {

namespace fs = std::filesystem;

Words words_of(const fs::path& file) {
  const std::vector<unsigned char> bytes = input::read_file(file.string());
  std::istringstream in(std::string(bytes.begin(), bytes.end()));
  Words words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

namespace {

[[noreturn]] void fail(const std::string& program, int error) {
  throw input::UserError(fmt::format("cannot run {}: {}", input::printable(program), std::strerror(error)));
}

/// What a child does before its program starts.
class Setup {
 public:
  Setup() { posix_spawn_file_actions_init(&actions_); }
  ~Setup() { posix_spawn_file_actions_destroy(&actions_); }
  Setup(const Setup&) = delete;
  Setup& operator=(const Setup&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

/// A file without a name: a child never waits for a reader of its output.
class Captured {
 public:
  Captured() : descriptor_(memfd_create("spica", MFD_CLOEXEC)) {
    if (descriptor_ < 0) fail("a compiler", errno);
  }
  ~Captured() { close(descriptor_); }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  int descriptor() const { return descriptor_; }
  std::string text() const {
    std::string text;
    char piece[4096];
    for (ssize_t read; (read = pread(descriptor_, piece, sizeof piece, static_cast<off_t>(text.size()))) > 0;)
      text.append(piece, static_cast<std::size_t>(read));
    return text;
  }

 private:
  const int descriptor_;
};

/// The environment without the variables by which compilers find headers, programs and options that no command line
/// has: what is compiled must follow from the command.
std::vector<char*> plain_environment() {
  static constexpr std::string_view kHidden[] = {"CPATH=",
                                                 "C_INCLUDE_PATH=",
                                                 "CPLUS_INCLUDE_PATH=",
                                                 "OBJC_INCLUDE_PATH=",
                                                 "COMPILER_PATH=",
                                                 "LIBRARY_PATH=",
                                                 "GCC_EXEC_PREFIX=",
                                                 "CCC_OVERRIDE_OPTIONS=",
                                                 "SOURCE_DATE_EPOCH=",
                                                 "CCC_ADD_ARGS=",
                                                 "DEPENDENCIES_OUTPUT=",
                                                 "SUNPRO_DEPENDENCIES="};
  std::vector<char*> kept;
  for (char** next = environ; *next != nullptr; ++next)
    if (const std::string_view variable = *next;
        std::none_of(std::begin(kHidden), std::end(kHidden),
                     [&](std::string_view name) { return variable.substr(0, name.size()) == name; }))
      kept.push_back(*next);
  kept.push_back(nullptr);
  return kept;
}

struct Ended {
  int status = 0;  // as waitpid() has it
  double processor_seconds = 0;  // of the program and of what it waited for
};

/// Waits for the program. After `most_seconds` of processor time (0: no limit) the kernel kills it, or what it started.
Ended run_program(const Words& command, Setup& setup, unsigned most_seconds = 0) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = -1;
  const int error =
      posix_spawn(&child, words.front(), setup.get(), nullptr, words.data(), plain_environment().data());
  if (error != 0) fail(command.front(), error);
  const rlimit limit{most_seconds, most_seconds};
  if (most_seconds != 0) prlimit(child, RLIMIT_CPU, &limit, nullptr);
  Ended ended;
  rusage usage = {};
  while (wait4(child, &ended.status, 0, &usage) < 0)
    if (errno != EINTR) fail(command.front(), errno);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  ended.processor_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  return ended;
}

int exit_code_of(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

}  // namespace

Finished run(const fs::path& folder, const Words& command, unsigned most_seconds) {
  const Captured output, errors;
  Setup setup;
  posix_spawn_file_actions_addchdir_np(setup.get(), folder.c_str());
  posix_spawn_file_actions_addopen(setup.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(setup.get(), output.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(setup.get(), errors.descriptor(), STDERR_FILENO);
  const Ended ended = run_program(command, setup, most_seconds);
  // For the limit the kernel counts its ticks, which may be more or less than what wait4() says.
  const bool killed = WIFSIGNALED(ended.status) && WTERMSIG(ended.status) == SIGKILL;
  const double least = killed ? most_seconds / 2.0 : most_seconds;
  const bool timed_out = most_seconds != 0 && ended.status != 0 && ended.processor_seconds >= least;
  return {exit_code_of(ended.status), output.text(), errors.text(), timed_out};
}

int run_here(const Words& command) {
  Setup nothing;
  return exit_code_of(run_program(command, nothing).status);
}

}  // namespace spica::compiler
