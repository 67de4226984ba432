// SPDX-License-Identifier: Apache-2.0
// Finds the programs that compile kernels.
#pragma once

#include <filesystem>
#include <string>

namespace spica::compiler {

/// The program named by the environment variable, else `name` in the PATH. A name with a major version, such as
/// "clang-19", also matches "clang" if it has this version, or a program below `system` in the folder of that LLVM
/// version. Throws UserError if it is missing, with the package to install and other versions that were found.
std::string find_tool(const char* variable, const std::string& name, const std::string& package,
                      const std::filesystem::path& system = "/");

}  // namespace spica::compiler
