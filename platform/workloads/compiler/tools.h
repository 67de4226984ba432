// SPDX-License-Identifier: Apache-2.0
// Runs the programs that compile kernels.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace spica::compiler {

using Words = std::vector<std::string>;

/// The words in a file of options.
Words words_of(const std::filesystem::path& file);

struct Finished {
  int exit_code = 0;
  std::string output, errors;
  bool timed_out = false;
};
/// Runs a program in a folder and waits for it. Like run_here(), without the environment variables in which compilers
/// look for headers or options (CPATH and the like). After `most_seconds` of processor time (0: no limit) it is ended.
Finished run(const std::filesystem::path& folder, const Words& command, unsigned most_seconds = 0);
/// Runs a program with the input and output of this process. Returns its exit code, or 128 + the number of the signal
/// that ended it.
int run_here(const Words& command);

}  // namespace spica::compiler
