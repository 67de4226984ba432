// SPDX-License-Identifier: Apache-2.0
#pragma once

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

}  // namespace spica::run
