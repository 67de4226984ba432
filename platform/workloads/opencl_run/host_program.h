// SPDX-License-Identifier: Apache-2.0
// The process of a host program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace spica::workloads {

/// How a host program ended.
struct HostEnd {
  int code = 0;  // as a shell has it: 128 + the signal's number after a signal
  int signal = 0;  // 0: none
  /// Why the driver could not finish.
  std::string text() const;
};

/// The file of a program: a path, or found in the folders of PATH. Throws UserError.
std::filesystem::path find_host_program(const std::string& name);

/// Runs a program and its arguments, and waits for its end. It ends with this process; Ctrl-C, SIGTERM and SIGHUP are
/// passed on. Throws UserError if it cannot start.
HostEnd run_host_program(const std::vector<std::string>& words);

}  // namespace spica::workloads
