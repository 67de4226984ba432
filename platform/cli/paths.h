// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/base/config/source.h"
#include "platform/workloads/compiler/kernel_compiler.h"
#include "platform/workloads/gemm_design.h"
#include "platform/workloads/workload.h"

namespace spica::cli {

/// The repository, or <prefix>/share/spica of an installed program, with the same paths in it: SPICA_ROOT (set by the start
/// script), else found from the program's own place.
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

/// Makes `folder` the working directory. What SPICA_ROOT names stays the same. Throws std::filesystem::filesystem_error.
void work_in(const std::filesystem::path& folder);
/// The program of a design for a machine, `params`, that is `config` with `overrides`: that which is there when it was
/// compiled for such a machine, else one that is compiled now. Throws UserError.
std::string program_of(const workloads::GemmDesign& design, const std::string& config,
                       const std::vector<std::string>& overrides, const soc::SocParams& params);
/// A kernel built with the platform: "hello" -> <build>/sw/hello.elf, or
/// <prefix>/share/spica/kernels/hello.elf of an installed program. Throws UserError when it is missing.
std::string kernel_path(const std::string& name);
/// A library of kernels or a concurrency model that a user names: a file, or where there is none, one that comes with Spica.
std::string library_path(const std::string& given);
/// The program that a user names: a file, or where there is none, a kernel of the platform of that name.
std::string program_path(const std::string& given);
/// The same for a machine: a kernel of the platform that was compiled for another size of shared memory is compiled for this
/// one.
std::string program_for(const std::string& given, const soc::SocParams& params);

}  // namespace spica::cli
