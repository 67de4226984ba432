// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/config/source.h"

namespace spica::cli {

/// The repository, or <prefix>/share/spica of an installed program, with the same paths in it: SPICA_ROOT (set by the start
/// script), else found from the program's own place.
std::filesystem::path root();
/// Where configurations are looked up by name.
std::filesystem::path configs_dir();
/// Names of the files of a kind, in the order of lists.
std::vector<std::string> names_in_order(const config::FileKind& kind);
/// A kernel built with the platform: "hello" -> <build>/sw/hello.elf, or
/// <prefix>/share/spica/kernels/hello.elf of an installed program. Throws UserError when it is missing.
std::string kernel_path(const std::string& name);

}  // namespace spica::cli
