// SPDX-License-Identifier: Apache-2.0
#include "platform/run/forked.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <stdexcept>

#include "platform/base/config/problem.h"
#include "platform/base/input/user_error.h"

namespace spica::job {

namespace {

enum class Kind : char { kText = 't', kUserError = 'u', kError = 'e' };

void write_all(int to, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(to, text.data() + done, text.size() - done);
    if (count < 0 && errno != EINTR) _exit(1);
    if (count > 0) done += static_cast<std::size_t>(count);
  }
}

std::string read_all(int from) {
  std::string text;
  std::array<char, 1 << 16> part{};
  for (;;) {
    const ssize_t count = ::read(from, part.data(), part.size());
    if (count == 0) return text;
    if (count > 0) text.append(part.data(), static_cast<std::size_t>(count));
    else if (errno != EINTR) throw std::runtime_error("the results of a child process cannot be read");
  }
}

[[noreturn]] void work_in_child(const std::function<std::string()>& work, int to, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(1);
  std::string answer;
  try {
    answer = static_cast<char>(Kind::kText) + work();
  } catch (const input::UserError& error) {
    answer = static_cast<char>(Kind::kUserError) + std::string(error.what());
  } catch (const config::ConfigError& error) {
    answer = static_cast<char>(Kind::kUserError) + std::string(error.what());
  } catch (const std::exception& error) {
    answer = static_cast<char>(Kind::kError) + std::string(error.what());
  }
  std::fflush(nullptr);
  write_all(to, answer);
  _exit(0);
}

}  // namespace

std::string run_forked(const std::function<std::string()>& work) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe to a child process");
  std::fflush(nullptr);
  const pid_t parent = getpid(), child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    throw std::runtime_error("the system starts no child process");
  }
  if (child == 0) {
    close(ends[0]);
    work_in_child(work, ends[1], parent);
  }
  close(ends[1]);
  std::string answer = read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM))
    raise(WTERMSIG(status));
  if (answer.empty()) throw std::runtime_error("a child process ended without results");
  const auto kind = static_cast<Kind>(answer.front());
  answer.erase(0, 1);
  if (kind == Kind::kUserError) throw input::UserError(answer);
  if (kind == Kind::kError) throw std::runtime_error(answer);
  return answer;
}

}  // namespace spica::job
