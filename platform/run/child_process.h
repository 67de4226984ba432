// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace spica::job {

/// The result of a finished child, from the operating system.
struct ChildResult {
  static constexpr int kNotStarted = -1;  // a signal arrived before
  int exit_code = 0;  // 128 + the number of the signal that ended it
  double user_seconds = 0;
  double system_seconds = 0;
  double wall_seconds = 0;
  double peak_megabytes = 0;  // resident memory
  bool timed_out = false;     // it exceeded ChildJob::most_seconds
  std::string errors, record;  // only with ChildJob::captures
};

/// One child: this program with other arguments; its output is discarded.
struct ChildJob {
  std::vector<std::string> arguments;
  std::string input{};  // data for its standard input
  /// A program (absolute path) and its arguments, which starts this program. Empty: none.
  std::vector<std::string> runner;
  /// Called when the child exists, before it executes anything. Must not throw.
  std::function<void(pid_t)> prepare;
  /// Its error output, and what it writes to /dev/fd/3, are returned with its result. It ends with its parent.
  bool captures = false;
  double most_seconds = 0;  // wall time: SIGTERM, five seconds later SIGKILL; 0: no limit
  std::uint64_t most_bytes = 0;  // limit of the address space; 0: none
};

/// Runs the children returned by `next` until it returns none, at most `jobs` at a time. `ended` receives the number of
/// a child, in the order of `next`, and its result. `idle` is called at intervals. Ctrl-C and SIGTERM are passed to
/// running children, and no further ones are started.
void run_children(unsigned jobs, const std::function<std::optional<ChildJob>()>& next,
                  const std::function<void(std::size_t, ChildResult&&)>& ended,
                  const std::function<void()>& idle = {});

/// Runs all children of a list; results are in its order. `progress(done)` is called at intervals.
std::vector<ChildResult> run_all(unsigned jobs, const std::vector<ChildJob>& list,
                                 const std::function<void(std::size_t)>& progress = {});
/// Runs one child and waits for it.
ChildResult run_child(const ChildJob& job);
/// The first informative line of a child's error output, made printable; "": none.
std::string first_message(const std::string& errors);

/// Runs this program with other arguments, discards its output, and waits for it. SystemC allows one machine per
/// process, so everything that needs several machines uses this.
ChildResult run_self(const std::vector<std::string>& arguments);

/// Settings of a child that apply before it executes anything.
struct ChildRules {
  bool ends_with_parent = false;  // always; false: it receives SIGTERM when its parent ends
  std::uint64_t most_bytes = 0;  // limit of the address space; 0: none
};
/// Call in a child of `parent`: makes it a process group of its own, so that Ctrl-C reaches it once, through its
/// parent, and resets signal handling. Async-signal-safe, like redirect_child(): callable between fork and exec.
void enter_child(const ChildRules& rules, pid_t parent);
/// Descriptor 1: discarded; 0, 2 and 3: these, if not negative.
void redirect_child(int input, int errors, int record);
/// Exit code of a child that could not start.
inline constexpr int kChildFailed = 127;

/// An alternative way to start children, for measurements. Both functions receive the index in the list of arguments.
struct ChildStart {
  /// A program (absolute path) and its arguments, which starts this program. Empty: none.
  std::function<std::vector<std::string>(std::size_t)> runner;
  /// Called when the child exists, before it executes anything. Must not throw.
  std::function<void(std::size_t, pid_t)> prepare;
};

/// Runs this program once for each list of arguments, at most `jobs` at a time, and returns the results in the order of
/// the lists. `progress(done)` is called at intervals with the number of ended children. Ctrl-C and SIGTERM are passed
/// to running children, and no further ones are started: the results so far are returned, and Interrupt::signal() has
/// the reason.
std::vector<ChildResult> run_self_many(const std::vector<std::vector<std::string>>& lists, unsigned jobs,
                                       const std::function<void(std::size_t)>& progress = {},
                                       const ChildStart& how = {});

}  // namespace spica::job
