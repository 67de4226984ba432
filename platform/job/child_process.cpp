// SPDX-License-Identifier: Apache-2.0
#include "platform/job/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "platform/job/signals.h"

namespace spica::job {

namespace {

using Clock = std::chrono::steady_clock;

/// Blocks the signals that wake the parent, so that none comes between looking for it and waiting.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigemptyset(&waited_);
    for (const int number : {SIGCHLD, SIGINT, SIGTERM}) sigaddset(&waited_, number);
    sigprocmask(SIG_BLOCK, &waited_, &before_);
  }
  ~BlockedSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  /// Until a child ends or a signal comes; returns SIGINT, SIGTERM, or another number.
  int wait() const {
    const timespec at_most{0, 200'000'000};
    return sigtimedwait(&waited_, nullptr, &at_most);
  }
  const sigset_t& before() const { return before_; }

 private:
  sigset_t waited_{}, before_{};
};

/// The program to execute and what it is given.
struct Executed {
  std::string path = "/proc/self/exe";
  std::vector<std::string> arguments{"spica"};
};

Executed executed(const std::vector<std::string>& arguments, const std::vector<std::string>& runner) {
  Executed result;
  if (!runner.empty()) {
    result.path = runner.front();
    result.arguments = runner;
    result.arguments.push_back(std::filesystem::read_symlink("/proc/self/exe").string());
  }
  result.arguments.insert(result.arguments.end(), arguments.begin(), arguments.end());
  return result;
}

/// What a child waits at until its parent lets it go.
class Gate {
 public:
  Gate() {
    if (pipe2(ends_, O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
  }
  ~Gate() {
    for (const int end : ends_) close(end);
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  void wait() {
    char byte = 0;
    close(ends_[1]);
    while (read(ends_[0], &byte, 1) < 0 && errno == EINTR) {
    }
  }

 private:
  int ends_[2] = {-1, -1};
};

/// Starts this program; its streams go to /dev/null, errors to `error_file` when not empty. It is in a process group
/// of its own, so that a Ctrl-C of the terminal comes once, from its parent, and ends with its parent.
pid_t start(const Executed& program, const std::string& error_file, const sigset_t& signals,
            const std::function<void(pid_t)>& prepare) {
  std::vector<char*> argv;
  for (const std::string& argument : program.arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  Gate gate;
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot start a child process");
  if (child != 0) {
    if (prepare) prepare(child);
    return child;
  }
  // Between fork and exec, only what may be called there.
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(128 + SIGTERM);  // it has ended meanwhile
  for (const int number : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ}) signal(number, SIG_DFL);
  sigprocmask(SIG_SETMASK, &signals, nullptr);
  gate.wait();
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const bool to_file = stream == STDERR_FILENO && !error_file.empty();
    const int file = open(to_file ? error_file.c_str() : "/dev/null",
                          to_file ? O_WRONLY | O_CREAT | O_TRUNC : O_RDWR, 0644);
    if (file < 0 || dup2(file, stream) < 0) _exit(127);
  }
  execv(program.path.c_str(), argv.data());
  _exit(127);
}

}  // namespace

std::vector<ChildResult> run_self_many(const std::vector<std::vector<std::string>>& lists, unsigned jobs,
                                       const std::vector<std::string>& errors,
                                       const std::function<void(std::size_t)>& progress,
                                       const ChildStart& how) {
  struct Running {
    std::size_t index;
    Clock::time_point started;
  };
  const BlockedSignals signals;
  std::vector<ChildResult> results(lists.size());
  for (ChildResult& result : results) result.exit_code = ChildResult::kNotStarted;
  std::map<pid_t, Running> running;
  std::size_t next = 0, done = 0;
  while (!running.empty() || (next < lists.size() && Interrupt::signal() == 0)) {
    while (next < lists.size() && running.size() < jobs && Interrupt::signal() == 0) {
      const Executed program =
          executed(lists[next], how.runner ? how.runner(next) : std::vector<std::string>());
      const pid_t child = start(program, next < errors.size() ? errors[next] : std::string(),
                                signals.before(), [&](pid_t pid) {
                                  if (how.prepare) how.prepare(next, pid);
                                });
      running[child] = {next++, Clock::now()};
    }
    if (progress) progress(done);
    int status = 0;
    rusage usage{};
    const pid_t child = wait4(-1, &status, WNOHANG, &usage);
    const auto found = running.find(child);
    if (found == running.end()) {
      const int signal = signals.wait();
      if (signal != SIGINT && signal != SIGTERM) continue;
      // The first one lets the children end in order, the second one ends them at once.
      const bool again = Interrupt::signal() != 0;
      for (const auto& [pid, unused] : running) kill(pid, again ? SIGKILL : signal);
      Interrupt::note(signal);
      continue;
    }
    ChildResult& result = results[found->second.index];
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.user_seconds =
        static_cast<double>(usage.ru_utime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
    result.wall_seconds = std::chrono::duration<double>(Clock::now() - found->second.started).count();
    result.peak_megabytes = static_cast<double>(usage.ru_maxrss) / 1024;
    running.erase(found);
    ++done;
  }
  return results;
}

ChildResult run_self(const std::vector<std::string>& arguments) {
  return run_self_many({arguments}, 1).front();
}

}  // namespace spica::job
