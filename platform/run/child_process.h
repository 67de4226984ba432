// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace spica::run {

/// What the operating system says about a finished child.
struct ChildResult {
  int exit_code = 0;
  double user_seconds = 0;
  double wall_seconds = 0;
  double peak_megabytes = 0;  // resident memory
};

/// Runs this very program with other arguments, its output thrown away, and waits for it. One machine per
/// process is a rule of SystemC, so everything that needs several machines goes through here.
ChildResult run_self(const std::vector<std::string>& arguments);

/// Runs this program once for each list of arguments, at most `jobs` at a time, and returns the results in
/// the order of the lists. `finished(index)` is called as each one ends. A child's error output goes to
/// the file `errors[index]` when that is given.
std::vector<ChildResult> run_self_many(const std::vector<std::vector<std::string>>& lists,
                                       unsigned jobs, const std::vector<std::string>& errors = {},
                                       const std::function<void(std::size_t)>& finished = {});

}  // namespace spica::run
