// SPDX-License-Identifier: Apache-2.0
// Where what options name is found: files of the user's, and those that come with Spica.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/workloads/compiler/kernel_compiler.h"

namespace spica::soc {
struct SocParams;
}

namespace spica::workloads {

struct GemmDesign;

struct Places {
  std::filesystem::path configs;  // configurations, by name
  std::filesystem::path kernels;  // ELF files that come with Spica: hello.elf
  compiler::KernelHome home;      // what kernels are compiled from

  /// The ELF file of a kernel that comes with Spica. Throws UserError when it is missing.
  std::string kernel(const std::string& name) const;
  /// The program that a user names: a file, or where there is none, a kernel of that name that comes with Spica.
  std::string program(const std::string& given) const;
  /// The same for a machine: a kernel of Spica that was compiled for another size of shared memory is compiled for this
  /// one.
  std::string program(const std::string& given, const soc::SocParams& machine) const;
  /// The program of a design for `machine`, which is `config` with `overrides`: the one that is there when it was
  /// compiled for such a machine, else one that is compiled now. Throws UserError.
  std::string program(const GemmDesign& design, const std::string& config,
                      const std::vector<std::string>& overrides, const soc::SocParams& machine) const;
  /// A library of kernels or a concurrency model that a user names: a file, or where there is none, one that comes with
  /// Spica.
  std::string library(const std::string& given) const;
  /// The ELF file that is compiled of these. Throws UserError.
  std::string compiled(const compiler::KernelSources& sources) const;
  /// A hash of all that the kernel of a source file is compiled from.
  std::string sources_digest(const std::string& source) const;
  /// The version of the compiler of a kernel, see compiler::KernelCompiler::compiler_version().
  std::string compiler_version(compiler::Toolchain toolchain, bool is_there) const;
};

}  // namespace spica::workloads
