// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/base/config/source.h"
#include "platform/workloads/compiler/kernel_compiler.h"
#include "platform/workloads/workload.h"

namespace spica::cli {

/// The repository, or <prefix>/share/spica of an installed program, which has the same structure: SPICA_ROOT (set by
/// the start script), else derived from the program's own path.
std::filesystem::path root();
/// The path of this program: <prefix>/bin/spica or <build>/platform/cli/spica.
const std::filesystem::path& program_file();
/// The folder where find_package(spica) finds this Spica: the prefix of an installed program, else the build folder.
std::filesystem::path cmake_prefix();
/// The folder in which configurations are found by name.
std::filesystem::path configs_dir();
/// Names of the files of a kind, in listing order.
std::vector<std::string> names_in_order(const config::FileKind& kind);
/// The folders in which workloads find files by name.
workloads::Places places();
/// The sources from which kernels are compiled.
compiler::KernelHome kernel_home();
/// Lets child processes start from the current state: the program is loaded, and the files of configs_dir() are parsed.
void serve_children();

/// Makes `folder` the working directory; SPICA_ROOT keeps its meaning. Throws std::filesystem::filesystem_error.
void work_in(const std::filesystem::path& folder);
/// The path of a shipped kernel, see workloads::Places.
inline std::string kernel_path(const std::string& name) { return places().kernel(name); }

}  // namespace spica::cli
