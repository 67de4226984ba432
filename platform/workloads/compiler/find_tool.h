// SPDX-License-Identifier: Apache-2.0
// Programs that compile kernels: where they are.
#pragma once

#include <filesystem>
#include <string>

namespace spica::compiler {

/// The program that the environment variable names, else that of `name` in the PATH. A name that ends with a major
/// version, "clang-19", may also be there as "clang", where that is this version, or below `system` in a folder of that
/// version of LLVM. Throws UserError when it is missing, with the package to install, and with what was found in
/// another version.
std::string find_tool(const char* variable, const std::string& name, const std::string& package,
                      const std::filesystem::path& system = "/");

}  // namespace spica::compiler
