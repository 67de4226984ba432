// SPDX-License-Identifier: Apache-2.0
#include "platform/run/child_process.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "platform/base/input/printable.h"
#include "platform/machine/soc/plugin_consent.h"
#include "platform/run/fork_server.h"
#include "platform/run/signals.h"

namespace spica::job {

namespace {

using Clock = std::chrono::steady_clock;

/// Blocks the signals that wake the parent, so that none comes between looking for it and waiting.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigemptyset(&waited_);
    for (const int number : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&waited_, number);
    sigprocmask(SIG_BLOCK, &waited_, &before_);
  }
  ~BlockedSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  /// Until a child ends or a signal comes; returns SIGINT, SIGTERM, SIGHUP, or another number.
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
    if (pipe2(ends_, O_CLOEXEC) != 0)
      throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
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

/// A file in memory that a child writes to, or reads.
class Captured {
 public:
  /// With this text, which is read from its beginning; none: no file.
  explicit Captured(const std::string& text) : Captured(!text.empty()) {
    if (!text.empty() && (write(descriptor_, text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
                          lseek(descriptor_, 0, SEEK_SET) != 0))
      throw std::system_error(errno, std::generic_category(), "cannot write a file in memory");
  }
  explicit Captured(bool wanted) {
    if (!wanted) return;
    descriptor_ = memfd_create("spica", MFD_CLOEXEC);
    if (descriptor_ < 0)
      throw std::system_error(errno, std::generic_category(), "cannot make a file in memory");
  }
  ~Captured() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Captured(Captured&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
  Captured& operator=(Captured&&) = delete;

  int descriptor() const { return descriptor_; }
  /// The first `most` bytes of it.
  std::string text(std::size_t most) const {
    if (descriptor_ < 0) return {};
    std::string text(
        std::min(most, static_cast<std::size_t>(std::max<off_t>(lseek(descriptor_, 0, SEEK_END), 0))), '\0');
    const ssize_t size = pread(descriptor_, text.data(), text.size(), 0);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    return text;
  }

 private:
  int descriptor_ = -1;
};

/// A child that runs.
struct Running {
  Running(std::size_t place, const ChildJob& job)
      : number(place),
        most_seconds(job.most_seconds),
        input(job.input),
        errors(job.captures),
        record(job.captures) {}

  std::size_t number;
  double most_seconds;
  Captured input, errors, record;
  Clock::time_point started = Clock::now();
  bool ended_by_us = false, killed = false;

  double seconds() const { return std::chrono::duration<double>(Clock::now() - started).count(); }
};

/// In the child: executes the program. Only what may be called between fork and exec.
[[noreturn]] void become(const Executed& program, char* const* argv, const ChildJob& job,
                         const Running& running, const sigset_t& signals, pid_t parent) {
  enter_child({job.captures, job.most_bytes}, parent);
  sigprocmask(SIG_SETMASK, &signals, nullptr);
  redirect_child(running.input.descriptor(), running.errors.descriptor(), running.record.descriptor());
  execv(program.path.c_str(), argv);
  _exit(kChildFailed);
}

/// Starts this program.
pid_t start(const ChildJob& job, const Running& running, const sigset_t& signals) {
  if (job.captures && job.runner.empty() && !job.prepare) {
    const pid_t child =
        ForkServer::start({job.arguments, running.errors.descriptor(), running.record.descriptor(),
                           running.input.descriptor(), job.most_bytes, soc::PluginConsent::given()});
    if (child > 0) return child;
  }
  const Executed program = executed(job.arguments, job.runner);
  std::vector<char*> argv;
  for (const std::string& argument : program.arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  const pid_t parent = getpid();
  if (!job.prepare) {  // the child borrows the memory of its parent, which waits: nothing is copied
    const pid_t child = vfork();  // NOLINT(bugprone-unsafe-functions)
    if (child == 0) become(program, argv.data(), job, running, signals, parent);
    if (child < 0) throw std::system_error(errno, std::generic_category(), "cannot start a child process");
    return child;
  }
  Gate gate;
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "cannot start a child process");
  if (child == 0) {
    gate.wait();
    become(program, argv.data(), job, running, signals, parent);
  }
  job.prepare(child);
  return child;
}

/// Children by process.
class Children {
 public:
  bool empty() const { return running_.empty(); }
  std::size_t size() const { return running_.size(); }

  void start(std::size_t number, const ChildJob& job) {
    Running running(number, job);
    const pid_t child = job::start(job, running, signals_.before());
    running_.emplace(child, std::move(running));
  }

  /// One that has ended; nothing: none has.
  std::optional<std::pair<std::size_t, ChildResult>> ended() {
    int status = 0;
    rusage usage{};
    const auto found = running_.find(wait4(-1, &status, WNOHANG, &usage));
    if (found == running_.end()) return std::nullopt;
    const Running& running = found->second;
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    ChildResult result;
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.user_seconds = seconds(usage.ru_utime);
    result.system_seconds = seconds(usage.ru_stime);
    result.wall_seconds = running.seconds();
    result.peak_megabytes = static_cast<double>(usage.ru_maxrss) / 1024;
    result.timed_out = running.ended_by_us;
    constexpr std::size_t kMostErrors = 64 * 1024, kMostRecord = 16 * 1024 * 1024;
    result.errors = running.errors.text(kMostErrors);
    result.record = running.record.text(kMostRecord);
    const std::size_t number = running.number;
    running_.erase(found);
    return std::pair(number, std::move(result));
  }

  /// Until one ends, a signal comes or some time has passed.
  void wait() {
    const int signal = signals_.wait();
    end_slow_ones();
    if (signal != SIGINT && signal != SIGTERM && signal != SIGHUP) return;
    // The first one lets the children end in order, the second one ends them at once.
    const bool again = Interrupt::signal() != 0;
    for (const auto& [pid, unused] : running_) kill(pid, again ? SIGKILL : signal);
    Interrupt::note(signal);
  }

 private:
  void end_slow_ones() {
    constexpr double kGrace = 5;
    for (auto& [pid, running] : running_) {
      if (running.most_seconds == 0 || running.seconds() < running.most_seconds) continue;
      if (!running.ended_by_us) kill(-pid, SIGTERM);
      running.ended_by_us = true;
      if (running.seconds() < running.most_seconds + kGrace || running.killed) continue;
      kill(-pid, SIGKILL);
      running.killed = true;
    }
  }

  const BlockedSignals signals_;
  std::map<pid_t, Running> running_;
};

}  // namespace

void enter_child(const ChildRules& rules, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, rules.ends_with_parent ? SIGKILL : SIGTERM);
  if (getppid() != parent) _exit(128 + SIGTERM);  // it has ended meanwhile
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ}) signal(number, SIG_DFL);
  if (rules.most_bytes == 0) return;
  const rlimit limit{rules.most_bytes, rules.most_bytes};
  setrlimit(RLIMIT_AS, &limit);
}

void redirect_child(int input, int errors, int record) {
  const int nothing = open("/dev/null", O_RDWR);
  if (input < 0) input = nothing;
  if (errors < 0) errors = nothing;
  if (record == STDERR_FILENO + 1) record = dup(record);  // dup2() would leave it to be closed
  if (nothing < 0 || dup2(input, STDIN_FILENO) < 0 || dup2(nothing, STDOUT_FILENO) < 0 ||
      dup2(errors, STDERR_FILENO) < 0 || (record >= 0 && dup2(record, STDERR_FILENO + 1) < 0))
    _exit(kChildFailed);
}

void run_children(unsigned jobs, const std::function<std::optional<ChildJob>()>& next,
                  const std::function<void(std::size_t, ChildResult&&)>& ended,
                  const std::function<void()>& idle) {
  Children children;
  std::size_t started = 0;
  bool more = true;
  while (true) {
    while (more && children.size() < jobs && Interrupt::signal() == 0) {
      const std::optional<ChildJob> job = next();
      if (job) children.start(started++, *job);
      else more = false;
    }
    if (idle) idle();
    if (children.empty()) return;
    if (auto one = children.ended()) {
      ended(one->first, std::move(one->second));
      more = true;  // one may be repeated
    } else {
      children.wait();
    }
  }
}

std::vector<ChildResult> run_all(unsigned jobs, const std::vector<ChildJob>& list,
                                 const std::function<void(std::size_t)>& progress) {
  std::vector<ChildResult> results(list.size());
  for (ChildResult& result : results) result.exit_code = ChildResult::kNotStarted;
  std::size_t next = 0, done = 0;
  run_children(
      jobs,
      [&]() -> std::optional<ChildJob> {
        return next == list.size() ? std::nullopt : std::optional(list[next++]);
      },
      [&](std::size_t index, ChildResult&& result) {
        results[index] = std::move(result);
        ++done;
      },
      [&] {
        if (progress) progress(done);
      });
  return results;
}

ChildResult run_child(const ChildJob& job) { return run_all(1, {job}).front(); }

std::string first_message(const std::string& errors) {
  std::istringstream stream(errors);
  for (std::string line; std::getline(stream, line);)
    if (!line.empty()) return input::printable(line);
  return {};
}

std::vector<ChildResult> run_self_many(const std::vector<std::vector<std::string>>& lists, unsigned jobs,
                                       const std::function<void(std::size_t)>& progress,
                                       const ChildStart& how) {
  std::vector<ChildJob> list(lists.size());
  for (std::size_t i = 0; i < lists.size(); ++i) {
    list[i].arguments = lists[i];
    if (how.runner) list[i].runner = how.runner(i);
    if (how.prepare) list[i].prepare = [&how, i](pid_t pid) { how.prepare(i, pid); };
  }
  return run_all(jobs, list, progress);
}

ChildResult run_self(const std::vector<std::string>& arguments) {
  return run_self_many({arguments}, 1).front();
}

}  // namespace spica::job
