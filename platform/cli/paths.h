// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/base/config/source.h"
#include "platform/workloads/compiler/kernel_compiler.h"
#include "platform/workloads/workload.h"

namespace spica::cli {

/// The repository, or <prefix>/share/spica of an installed program, with the same paths in it: SPICA_ROOT (set by the
/// start script), else found from the program's own place.
std::filesystem::path root();
/// This program: <prefix>/bin/spica or <build>/platform/cli/spica.
std::filesystem::path program_file();
/// Where find_package(spica) finds this Spica: the prefix of an installed program, else the build folder.
std::filesystem::path cmake_prefix();
/// Where configurations are looked up by name.
std::filesystem::path configs_dir();
/// Names of the files of a kind, in the order of lists.
std::vector<std::string> names_in_order(const config::FileKind& kind);
/// Where workloads find what they name.
workloads::Places places();
/// Where kernels are compiled from.
compiler::KernelHome kernel_home();
/// Lets children of this process begin where it is now: the program is loaded, the files of configs_dir() are parsed.
void serve_children();

/// Makes `folder` the working directory. What SPICA_ROOT names stays the same. Throws
/// std::filesystem::filesystem_error.
void work_in(const std::filesystem::path& folder);
/// A kernel that comes with Spica, see workloads::Places.
inline std::string kernel_path(const std::string& name) { return places().kernel(name); }

}  // namespace spica::cli
