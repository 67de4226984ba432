// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/opencl_run/host_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <system_error>

#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/run/signals.h"

namespace spica::workloads {

namespace fs = std::filesystem;

namespace {

/// In the child: executes the program, or writes the error. Only what may be called after fork.
[[noreturn]] void become(char* const* arguments, int errors, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(128 + SIGKILL);
  for (const int number : {SIGINT, SIGPIPE, SIGXFSZ}) signal(number, SIG_DFL);
  execvp(arguments[0], arguments);
  const int error = errno;
  const ssize_t ignored = write(errors, &error, sizeof error);
  _exit(ignored == sizeof error ? 126 : 127);
}

/// The terminal has sent Ctrl-C to the program as well.
bool is_in_foreground() { return tcgetpgrp(STDIN_FILENO) == getpgrp(); }

/// Until the program ends. Passes a signal on, at once or within a fraction of a second.
int wait_for(pid_t process) {
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  bool is_passed_on = false;
  constexpr int kMilliseconds = 200;  // for a signal just before the wait
  for (pollfd end{handle, POLLIN, 0}; handle >= 0 && poll(&end, 1, kMilliseconds) <= 0;) {
    const int signal = job::Interrupt::signal();
    if (signal == 0 || is_passed_on) continue;
    is_passed_on = true;
    if (signal != SIGINT || !is_in_foreground()) kill(process, signal);
  }
  if (handle >= 0) close(handle);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

std::string HostEnd::text() const {
  return signal != 0
             ? fmt::format("the program was ended by signal {} ({})", signal, sigabbrev_np(signal))
             : fmt::format("the program ended with code {} without its exit handlers (_exit, quick_exit)",
                           code);
}

fs::path find_host_program(const std::string& name) {
  std::error_code ignored;
  if (name.find('/') != std::string::npos) {
    if (fs::is_regular_file(name, ignored)) return name;
  } else if (const char* const folders = std::getenv("PATH")) {  // NOLINT(concurrency-mt-unsafe)
    std::istringstream stream(folders);
    for (std::string folder; std::getline(stream, folder, ':');)
      if (const fs::path file = fs::path(folder) / name; access(file.c_str(), X_OK) == 0) return file;
  }
  throw input::UserError(fmt::format("cannot start '{}': {}", input::printable(name), std::strerror(ENOENT)));
}

HostEnd run_host_program(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  int errors[2];
  if (pipe2(errors, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
  const job::Interrupt::SignalGuard guard;
  const pid_t parent = getpid(), process = fork();
  if (process == 0) become(arguments.data(), errors[1], parent);
  close(errors[1]);
  int error = process < 0 ? errno : 0;
  if (process > 0 && read(errors[0], &error, sizeof error) != sizeof error) error = 0;
  close(errors[0]);
  const int status = process > 0 ? wait_for(process) : 0;
  if (error != 0)
    throw input::UserError(
        fmt::format("cannot start '{}': {}", input::printable(words.front()), std::strerror(error)));
  if (WIFSIGNALED(status)) return {128 + WTERMSIG(status), WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

}  // namespace spica::workloads
