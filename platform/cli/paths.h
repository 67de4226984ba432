// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace spica::cli {

/// The repository: SPICA_ROOT (set by the start script), else found from the program's own place.
std::filesystem::path root();
/// Where configurations are looked up by name.
std::filesystem::path configs_dir();
/// A kernel built with the platform: "hello" -> <build>/sw/hello.elf. Throws UserError when it is missing.
std::string kernel_path(const std::string& name);

}  // namespace spica::cli
