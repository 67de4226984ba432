// SPDX-License-Identifier: Apache-2.0
#include "platform/run/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <stdexcept>

namespace spica::run {

namespace {

using Clock = std::chrono::steady_clock;

/// Starts this program; its streams go to /dev/null, errors to `error_file` when not empty.
pid_t start(const std::vector<std::string>& arguments, const std::string& error_file) {
  std::vector<char*> argv{const_cast<char*>("spica")};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const bool to_file = stream == STDERR_FILENO && !error_file.empty();
    posix_spawn_file_actions_addopen(&actions, stream, to_file ? error_file.c_str() : "/dev/null",
                                     to_file ? O_WRONLY | O_CREAT | O_TRUNC : O_RDWR, 0644);
  }
  pid_t child = 0;
  const int error = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start a child process");
  return child;
}

}  // namespace

std::vector<ChildResult> run_self_many(const std::vector<std::vector<std::string>>& lists,
                                       unsigned jobs, const std::vector<std::string>& errors,
                                       const std::function<void(std::size_t)>& finished) {
  struct Running {
    std::size_t index;
    Clock::time_point started;
  };
  std::vector<ChildResult> results(lists.size());
  std::map<pid_t, Running> running;
  std::size_t next = 0;
  while (next < lists.size() || !running.empty()) {
    while (next < lists.size() && running.size() < jobs) {
      const pid_t child = start(lists[next], next < errors.size() ? errors[next] : std::string());
      running[child] = {next++, Clock::now()};
    }
    int status = 0;
    rusage usage{};
    const pid_t child = wait4(-1, &status, 0, &usage);
    const auto found = running.find(child);
    if (found == running.end()) continue;
    ChildResult& result = results[found->second.index];
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    result.user_seconds = static_cast<double>(usage.ru_utime.tv_sec) +
                          1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
    result.wall_seconds = std::chrono::duration<double>(Clock::now() - found->second.started).count();
    result.peak_megabytes = static_cast<double>(usage.ru_maxrss) / 1024;
    const std::size_t index = found->second.index;
    running.erase(found);
    if (finished) finished(index);
  }
  return results;
}

ChildResult run_self(const std::vector<std::string>& arguments) {
  return run_self_many({arguments}, 1).front();
}

}  // namespace spica::run
