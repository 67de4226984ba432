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

/// What the operating system says about a finished child.
struct ChildResult {
  static constexpr int kNotStarted = -1;  // a signal came before
  int exit_code = 0;  // 128 + the number of the signal that ended it
  double user_seconds = 0;
  double system_seconds = 0;
  double wall_seconds = 0;
  double peak_megabytes = 0;  // resident memory
  bool timed_out = false;     // ChildJob::most_seconds were over
  std::string errors, record;  // with ChildJob::captures
};

/// One child: this program with other arguments, its output thrown away.
struct ChildJob {
  std::vector<std::string> arguments;
  std::string input{};  // what it reads from its standard input
  /// A program (absolute path) and its arguments, which runs this program. Empty: none.
  std::vector<std::string> runner;
  /// The child exists and executes nothing until this returns. Must not throw.
  std::function<void(pid_t)> prepare;
  std::string error_file;  // for its error output; empty: thrown away
  /// Its error output, and what it writes to /dev/fd/3, come with its result. It ends with its parent, whatever it
  /// does.
  bool captures = false;
  double most_seconds = 0;  // of wall time: SIGTERM, five seconds later SIGKILL; 0: no limit
  std::uint64_t most_bytes = 0;  // of address space; 0: no limit
};

/// Runs the children that `next` gives until it has no more, at most `jobs` at a time. `ended` gets the number of a
/// child, in the order of `next`, and what became of it. `idle` is called now and then. Ctrl-C and SIGTERM go to the
/// children that run, and no other is started.
void run_children(unsigned jobs, const std::function<std::optional<ChildJob>()>& next,
                  const std::function<void(std::size_t, ChildResult&&)>& ended,
                  const std::function<void()>& idle = {});

/// All of a list; the results are in its order. `progress(done)` is called now and then.
std::vector<ChildResult> run_all(unsigned jobs, const std::vector<ChildJob>& list,
                                 const std::function<void(std::size_t)>& progress = {});
/// One, now.
ChildResult run_child(const ChildJob& job);
/// The first line of what a child said that says something, printable; "": none does.
std::string first_message(const std::string& errors);

/// Runs this very program with other arguments, its output thrown away, and waits for it. One machine per
/// process is a rule of SystemC, so everything that needs several machines goes through here.
ChildResult run_self(const std::vector<std::string>& arguments);

/// The rules that a child gets before it does anything.
struct ChildRules {
  bool ends_with_parent = false;  // whatever it does; else it gets SIGTERM when its parent ends
  std::uint64_t most_bytes = 0;  // of address space; 0: no limit
};
/// In a child of `parent`: a process group of its own, so that a Ctrl-C of the terminal comes once, from its parent;
/// signals as a program finds them. Only what may be called between fork and exec, likewise redirect_child().
void enter_child(const ChildRules& rules, pid_t parent);
/// Descriptor 1: nothing; 0, 2 and 3: these, where they are not negative.
void redirect_child(int input, int errors, int record);
/// Exit code of a child that could not begin.
inline constexpr int kChildFailed = 127;

/// Another way to start children, for measuring them. Both parts get the index of the list of arguments.
struct ChildStart {
  /// A program (absolute path) and its arguments, which runs this program. Empty: none.
  std::function<std::vector<std::string>(std::size_t)> runner;
  /// The child exists and executes nothing until this returns. Must not throw.
  std::function<void(std::size_t, pid_t)> prepare;
};

/// Runs this program once for each list of arguments, at most `jobs` at a time, and returns the results in
/// the order of the lists. `progress(done)` is called now and then with the number of those that have
/// ended. A child's error output goes to the file `errors[index]` when that is given. Ctrl-C and SIGTERM go
/// to the children that run, and no other is started: what has been done is returned, and
/// Interrupt::signal() has the reason why it is not all.
std::vector<ChildResult> run_self_many(const std::vector<std::vector<std::string>>& lists, unsigned jobs,
                                       const std::vector<std::string>& errors = {},
                                       const std::function<void(std::size_t)>& progress = {},
                                       const ChildStart& how = {});

}  // namespace spica::job
