// SPDX-License-Identifier: Apache-2.0
// Programs that compile kernels: how they are run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace spica::compiler {

using Words = std::vector<std::string>;

/// The words of a file of options.
Words words_of(const std::filesystem::path& file);

struct Finished {
  int exit_code = 0;
  std::string output, errors;
};
/// Runs a program in a folder and waits for it. Neither it nor run_here() hands on variables of the environment by
/// which compilers find headers or options (CPATH and the like).
Finished run(const std::filesystem::path& folder, const Words& command);
/// Runs a program here, with the input and outputs of this one. Returns its exit code, 128 + number when a signal ended
/// it.
int run_here(const Words& command);

}  // namespace spica::compiler
