// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace spica::job {

/// What the operating system says about a finished child.
struct ChildResult {
  static constexpr int kNotStarted = -1;  // a signal came before
  int exit_code = 0;  // 128 + the number of the signal that ended it
  double user_seconds = 0;
  double wall_seconds = 0;
  double peak_megabytes = 0;  // resident memory
};

/// Runs this very program with other arguments, its output thrown away, and waits for it. One machine per
/// process is a rule of SystemC, so everything that needs several machines goes through here.
ChildResult run_self(const std::vector<std::string>& arguments);

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
/// Interrupt::signal() says why it is not all.
std::vector<ChildResult> run_self_many(const std::vector<std::vector<std::string>>& lists, unsigned jobs,
                                       const std::vector<std::string>& errors = {},
                                       const std::function<void(std::size_t)>& progress = {},
                                       const ChildStart& how = {});

}  // namespace spica::job
